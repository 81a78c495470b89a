"""The ops, one class each, made from the engine's catalog. Their signatures are in _ops.pyi."""

from __future__ import annotations

import inspect
from typing import Any

from penstock import _core


def option_text(value: object) -> str:
    """Write an option's value as the engine reads it.

    >>> option_text((0.08, 1.0)), option_text(True), option_text(None)
    ('0.08,1.0', 'true', 'none')
    """
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(option_text(element) for element in value)
    return str(value)


class Op:
    """One step of an image's way. Compares and prints as its text."""

    _name = ""
    _options: tuple[str, ...] = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Check the options at once: a wrong one is a ValueError here."""
        if len(args) > len(self._options):
            raise TypeError(f"{type(self).__name__} takes {len(self._options)} options")
        for option, value in zip(self._options, args, strict=False):
            if option in kwargs:
                raise TypeError(f"{type(self).__name__}: {option} is given twice")
            kwargs[option] = value
        options = [(option, option_text(value)) for option, value in kwargs.items()]
        self.text: str = _core.op_text(self._name, options)

    def __repr__(self) -> str:
        """As on the command line: `random_flip probability=0.5`."""
        return f"<{self.text}>"

    def __eq__(self, other: object) -> bool:
        """Equal ops do the same."""
        return isinstance(other, Op) and self.text == other.text

    def __hash__(self) -> int:
        """Consistent with equality."""
        return hash(self.text)


def _make_class(name: str, doc: str, options: list[tuple[str, str, str, str]]) -> type[Op]:
    lines = [f"    {option}: {text} Default {default}." for option, _, default, text in options]
    full_doc = "\n".join([doc, "", "Args:", *lines]) if lines else doc
    class_name = "".join(word.capitalize() for word in name.split("_"))
    signature = inspect.Signature(
        inspect.Parameter(option, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default)
        for option, _, default, _ in options
    )
    return type(
        class_name,
        (Op,),
        {
            "__doc__": full_doc,
            "__module__": "penstock",
            "__signature__": signature,
            "_name": name,
            "_options": tuple(option for option, *_ in options),
        },
    )


_classes = [_make_class(*row) for row in _core.ops()]
globals().update({cls.__name__: cls for cls in _classes})
__all__ = ["Op", *(cls.__name__ for cls in _classes)]
