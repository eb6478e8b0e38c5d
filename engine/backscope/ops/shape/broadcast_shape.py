"""broadcast_shapes: the shape that several shapes broadcast to."""

from __future__ import annotations

from backscope.ops.core.namespace import export
from backscope.runtime.given import Shape
from backscope.tensor.size import Size
from backscope.tensor.tensor import Tensor


@export(method=False)
def broadcast_shapes(*shapes: Shape) -> Size:
    """The shape that all broadcast to."""
    for s in shapes:
        if isinstance(s, (float, Tensor)):
            raise RuntimeError(f"Input shapes should be of type ints, a tuple of ints, or a list of ints, got {s}")
    given = [() if s is None else (s,) if isinstance(s, int) else tuple(s) for s in shapes]
    for s in given:
        if any(n < 0 for n in s):
            raise ValueError("Attempting to broadcast a dimension with negative length!")
        for place, n in enumerate(s):
            if not hasattr(n, "__index__"):
                raise TypeError(f"torch.Size() takes an iterable of 'int' (item {place} is '{type(n).__name__}')")
    length = max((len(s) for s in given), default=0)
    shape = [1] * length
    for number, s in enumerate(given):
        for back in range(1, len(s) + 1):
            if s[-back] not in (1, shape[-back]) and shape[-back] != 1:
                raise RuntimeError(
                    f"Attempting to broadcast a dimension of length {s[-back]} at {-back}! Mismatching argument at "
                    f"index {number} had {s}; but expected shape should be broadcastable to {shape}"
                )
            if s[-back] != 1:
                shape[-back] = s[-back]
    return Size(shape)
