"""Assignment to `Tensor.data`: a tensor takes the memory and dtype of another one and keeps its place on the tape."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backscope.runtime.given import Value
from backscope.runtime.listening import hub
from backscope.tensor.sparse_values import Sparse
from backscope.tensor.version_counter import DetachedInferenceVersion, InferenceVersion

if TYPE_CHECKING:
    from backscope.tensor.tensor import Tensor


def assign_data(tensor: Tensor, value: Tensor) -> None:
    """Give `tensor` the memory of `value`; RuntimeError where their layouts or dtypes do not allow it."""
    if (tensor._data.__class__ is Sparse) is not (value._data.__class__ is Sparse):
        raise RuntimeError(
            "Attempted to call `variable.set_data(tensor)`, but `variable` and `tensor` have incompatible tensor type."
        )
    if tensor._requires_grad and value._dtype.category < 2:
        raise RuntimeError("data set to a tensor that requires gradients must be floating point or complex dtype")
    known = None if tensor._accumulator is None else tensor._accumulator()
    if known is not None and value._dtype is not tensor._dtype:
        tensor._accumulator = None
    elif known is not None and value._data.shape != known.shape:
        from backscope.autograd.task import Demands

        Demands.stepwise = True
    lazy = None if value._view is None else value._view.lazy
    if lazy is not None or (tensor._view is not None and tensor._view.lazy is not None):
        _follow_lazily(tensor, lazy)
    tensor._data = value._array()
    tensor._dtype = value._dtype
    if isinstance(value._shared, InferenceVersion):
        from backscope.autograd.modes.inference_mode import OUTSIDE_VIEWS

        tensor._shared = DetachedInferenceVersion(tensor._counter())
        if tensor._requires_grad and tensor._view is None:
            tensor._view = OUTSIDE_VIEWS
    if hub.listener is not None:
        hub.listener.mutated(tensor, "data")


def _follow_lazily(tensor: Tensor, lazy: Value) -> None:
    """Make a tensor negated or conjugated as `lazy`, or no longer where that is None."""
    from backscope.autograd.views.lazy_views import LazyAlias

    view = tensor._view
    if view is not None and view.base is not None:
        view.lazy = lazy
    else:
        tensor._view = None if lazy is None else LazyAlias(lazy)  # type: ignore[assignment]
