# Written by tools/generate_ops.py from the engine's catalog; do not edit.
from collections.abc import Sequence
from typing import Any, Literal

__all__ = [
    "Brightness",
    "CenterCrop",
    "ColorJitter",
    "Contrast",
    "Grayscale",
    "Hue",
    "Normalize",
    "Op",
    "Pad",
    "RandomCrop",
    "RandomFlip",
    "RandomResizedCrop",
    "Resize",
    "Saturation",
]

def option_text(value: object) -> str: ...

class Op:
    text: str
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class Brightness(Op):
    """Multiply the image by a random factor."""

    def __init__(
        self,
        amount: float = 0.4,
    ) -> None: ...

class CenterCrop(Op):
    """Cut out the middle of the image; a smaller image is padded with black first."""

    def __init__(
        self,
        size: int | Sequence[int] = 224,
    ) -> None: ...

class ColorJitter(Op):
    """Change brightness, contrast, saturation and hue by random amounts, in random order."""

    def __init__(
        self,
        brightness: float = 0,
        contrast: float = 0,
        saturation: float = 0,
        hue: float = 0,
    ) -> None: ...

class Contrast(Op):
    """Move values away from a fixed center by a random factor (torchvision: from the image's mean)."""

    def __init__(
        self,
        amount: float = 0.4,
        center: float = 0.5,
    ) -> None: ...

class Grayscale(Op):
    """Take the colour out of the image, at random; three equal channels stay."""

    def __init__(
        self,
        probability: float = 1,
    ) -> None: ...

class Hue(Op):
    """Turn colours around the gray axis of YIQ by a random angle (torchvision: the hue of HSV)."""

    def __init__(
        self,
        amount: float = 0.1,
    ) -> None: ...

class Normalize(Op):
    """Subtract the mean and divide by the deviation of each channel; the last colour op."""

    def __init__(
        self,
        mean: float | Sequence[float] = (0.485, 0.456, 0.406),
        std: float | Sequence[float] = (0.229, 0.224, 0.225),
    ) -> None: ...

class Pad(Op):
    """Add a border of one colour."""

    def __init__(
        self,
        padding: int | Sequence[int] = 0,
        fill: int | Sequence[int] = 0,
    ) -> None: ...

class RandomCrop(Op):
    """Cut out a window of fixed size at a random place."""

    def __init__(
        self,
        size: int | Sequence[int] = 224,
        padding: int | Sequence[int] = 0,
        pad_if_needed: bool = False,
        fill: int | Sequence[int] = 0,
    ) -> None: ...

class RandomFlip(Op):
    """Mirror the image left to right, at random."""

    def __init__(
        self,
        probability: float = 0.5,
    ) -> None: ...

class RandomResizedCrop(Op):
    """Cut out a window of random area, aspect and place, and resize it."""

    def __init__(
        self,
        size: int | Sequence[int] = 224,
        scale: tuple[float, float] = (0.08, 1),
        ratio: tuple[float, float] = (0.75, 1.3333333333333333),
        filter: Literal["nearest", "bilinear", "bicubic"] = "bilinear",
    ) -> None: ...

class Resize(Op):
    """Resize the image: size=N makes the shorter side N and keeps the aspect, size=H,W is exact."""

    def __init__(
        self,
        size: int | Sequence[int] = 256,
        filter: Literal["nearest", "bilinear", "bicubic"] = "bilinear",
    ) -> None: ...

class Saturation(Op):
    """Blend the image with its gray version by a random factor."""

    def __init__(
        self,
        amount: float = 0.4,
    ) -> None: ...
