"""New tensors inside transforms: which levels a tensor that a factory function makes belongs to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from backscope.autograd.transforms.level import Level, levels, only_up_to
from backscope.autograd.transforms.transform_tensor import TransformTensor, bottom_of, wrapped
from backscope.runtime.given import Value
from backscope.tensor.tensor import Tensor

Make: TypeAlias = Callable[[Any, tuple[int, ...]], Any]
"""Makes a tensor like another one, given the batch sizes that are put before its shape."""


def created(tensor: Tensor) -> Value:
    """Wrap a new tensor once for each open grad and jvp level, of which it is a constant."""
    for level in list(levels):
        if level.kind in ("grad", "jvp"):
            tracked, tensor._requires_grad = tensor._requires_grad, False
            tensor = wrapped(tensor, level)
            tensor._requires_grad = tracked
    return tensor


def created_like(like: Tensor, make: Make, *, own_shape: bool) -> Value:
    """Create a tensor by `make(like, ())`; where vmaps map over `like`, create one for each of their examples.

    In a vmap `make` is called with the tensor that `like` wraps and the batch sizes, outermost first.  Its result has
    the shape of the wrapped tensor if `own_shape`; otherwise `make` puts the batch sizes before its own.
    """
    if like.__class__ is not TransformTensor or not like.batched:
        return make(like, ())
    made = _created_like(like, make, own_shape, [x for x in levels if x.kind not in _PLAIN_KINDS], ())
    below = bottom_of(made)
    # requires_grad belongs to the tensor that the factory returns; within a vmap its ops are not recorded.
    tracked, below._requires_grad = below._requires_grad, False
    made._requires_grad = tracked and (made is below or made.level.kind != "vmap")
    return made


_PLAIN_KINDS = ("dual", "functionalize")
"""The kinds of levels at which new tensors are ordinary ones."""


def _created_like(like: Value, make: Make, own_shape: bool, around: list[Level], lead: tuple[int, ...]) -> Any:
    like = like._live() if like.__class__ is TransformTensor else like
    if not around:
        return make(like, lead)
    level = around[-1]
    own = like.__class__ is TransformTensor and like.level is level
    mapped = own and level.kind == "vmap"
    with only_up_to(level, without=True):
        made = _created_like(
            like.inner if own else like, make, own_shape, around[:-1], (level.size, *lead) if mapped else lead
        )
    if mapped:
        return wrapped(made, level, like.batch_dim if own_shape else 0)
    return made if level.kind == "vmap" else wrapped(made, level)
