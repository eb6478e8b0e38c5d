"""torch.device: the CPU; any other is refused with PyTorch's error for a build without it."""

from __future__ import annotations

from typing import Any


class device:  # noqa: N801 - PyTorch's own name
    """Where a tensor lives; always `cpu` here."""

    __slots__ = ("index", "type")

    type: str
    index: int | None

    def __init__(self, type: Any, index: int | None = None) -> None:  # noqa: A002
        text = type.type if isinstance(type, device) else str(type)
        self.type, _, number = text.partition(":")
        self.index = int(number) if number else index
        check_device(self.type)

    def __repr__(self) -> str:
        return (
            f"device(type='{self.type}')" if self.index is None else f"device(type='{self.type}', index={self.index})"
        )

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))


def check_device(where: Any) -> None:
    """Raise for anything but the CPU."""
    kind = str(where).partition(":")[0]
    if kind == "cuda":
        raise AssertionError("Torch not compiled with CUDA enabled")
    if kind != "cpu":
        raise RuntimeError(f"Backscope computes on the CPU; device '{where}' is not available.")
