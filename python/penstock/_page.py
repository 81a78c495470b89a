"""The page of a loader, in a browser."""

from __future__ import annotations

from types import TracebackType

from penstock import _core


class Page:
    """A page that shows what a loader does. `Loader.serve` makes it."""

    def __init__(self, host: str, port: int) -> None:
        """Begin to serve it."""
        self._server = _core.start_page(host, port)

    @property
    def url(self) -> str:
        """Where it is: "http://127.0.0.1:41234/"."""
        return self._server.url

    def close(self) -> None:
        """Serve it no more."""
        self._server.close()

    def __enter__(self) -> Page:
        """Close it at the end of the block."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Serve it no more."""
        self.close()

    def __repr__(self) -> str:
        """Where it is."""
        return f"Page({self.url!r})"

    def _follow(self, run: _core.Run) -> None:
        self._server.attach(run)

    def _leave(self) -> None:
        self._server.detach()

    def _show(self, batch: _core.Batch) -> None:
        self._server.show(batch)
