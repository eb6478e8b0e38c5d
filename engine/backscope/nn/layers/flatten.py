"""Layers that change the shape: Flatten, Unflatten."""

from __future__ import annotations

from backscope.nn.module.module import Module
from backscope.runtime.given import Shape, Value
from backscope.tensor.typename import belongs


class Flatten(Module):
    """Several dims as one; by default all but the first."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input: Value) -> Value:  # noqa: A002
        """The flattened input."""
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        """The dims."""
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """Splits one dim into several; TypeError for sizes that are no ints."""

    def __init__(self, dim: int, unflattened_size: Shape) -> None:
        super().__init__()
        if not isinstance(unflattened_size, (tuple, list)):
            raise TypeError(
                f"unflattened_size must be a tuple of ints, but found type {type(unflattened_size).__name__}"
            )
        for place, length in enumerate(unflattened_size):
            if not isinstance(length, int):
                raise TypeError(
                    "unflattened_size must be tuple of ints, but found element of type "
                    f"{type(length).__name__} at pos {place}"
                )
        self.dim = dim
        self.unflattened_size = unflattened_size

    def forward(self, input: Value) -> Value:  # noqa: A002
        """The input in its new shape."""
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        """The dim and its new sizes."""
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"


belongs("torch.nn.modules.flatten", Flatten, Unflatten)
