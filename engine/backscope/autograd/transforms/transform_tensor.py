"""TransformTensor: a tensor that has a tangent, or that wraps a tensor of the level below."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from backscope.autograd.modes.grad_mode import mode
from backscope.autograd.transforms.absent import Absent, stand_in
from backscope.autograd.transforms.level import Level
from backscope.runtime.given import Option, Value, Values
from backscope.tensor.tensor import Tensor

_new = object.__new__


class TransformTensor(Tensor):
    """A tensor that has a tangent, or that wraps a tensor of a lower level.

    `inner` is the wrapped tensor, None for a dual tensor on the ordinary tape; `batch_dim` is the dim of it that the
    level maps over.  The class has no slots of its own, so that an ordinary tensor can become one in place.
    """

    __slots__ = ()

    inner: Value = None
    level: Level | None = None
    batch_dim: int | None = None
    tangent: Value = None
    tangent_level: Level | None = None

    def _live(self) -> Any:
        """Return this tensor, or the wrapped one where its level has ended."""
        t: Any = self
        while t.__class__ is TransformTensor and t.level is not None and not t.level.is_open:
            if t.batch_dim is not None:
                from backscope.func.transform_errors import escaped

                raise escaped("")
            t = t.inner
        return t

    def detach(self) -> Tensor:
        """Return the value off the tapes of all levels, without a tangent."""
        t = self._live()
        if t is not self:
            detached: Tensor = t.detach()
            return detached
        if self.inner is None:
            return Tensor.detach(self)
        inner = self.inner.detach()
        if mode.inference and self.batch_dim is None and not self.level.inference:
            refuse_views((inner,))
        below: Tensor = wrapped_like(self, inner)
        return below

    def detach_(self) -> Tensor:
        """Take the tensor off the tape in place and drop its tangent; RuntimeError where a vmap maps over it."""
        if self.batch_dim is not None:
            from backscope.tensor.in_place_detachment import VIEW_DETACHED

            raise RuntimeError(VIEW_DETACHED)
        Tensor.detach_(self)
        self.tangent = None
        return self

    def backward(
        self,
        gradient: Value = None,
        retain_graph: Option = None,
        create_graph: Option = False,
        inputs: Values = None,
    ) -> None:
        """Run Tensor.backward; RuntimeError inside a transform."""
        from backscope.autograd.transforms.transform_refusals import refuse_backward

        refuse_backward()
        Tensor.backward(self, gradient, retain_graph, create_graph, inputs)  # type: ignore[no-untyped-call]

    def _single(self, what: str) -> Any:
        t = self._live()
        if t is not self:
            return t._single(what)
        if self.batched:
            if what == "item":
                raise RuntimeError(
                    "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling "
                    ".item() on a Tensor, please try to rewrite what you're doing with other operations. If error is "
                    "occurring somewhere inside PyTorch internals, please file a bug report."
                )
            raise RuntimeError(DATA_DEPENDENT)
        return Tensor._single(self, what)

    @property
    def batched(self) -> bool:
        """True where a vmap maps over this tensor, so that it has no single value."""
        return isinstance(self._data, Absent)

    def _convert(self, kind: type) -> Any:
        if self._live() is self and self.batched:
            return self._single("item")
        return Tensor._convert(self, kind)

    def __index__(self) -> int:
        t = self._live()
        if t is self and self.batched and self._dtype.category < 2:
            self._single("item")
        return Tensor.__index__(t)

    # Any: a number, or nested lists of them.
    def tolist(self) -> Any:
        """The elements as nested lists; RuntimeError for a tensor of a vmap."""
        if self.batched:
            raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage")
        return Tensor.tolist(self._live())

    def numpy(self, *, force: bool = False) -> np.ndarray[Any, Any]:
        """The memory as a numpy array; RuntimeError inside a transform."""
        t = self._live()
        if t is not self:
            return t.numpy(force=force)  # type: ignore[no-any-return]
        if self.inner is not None:
            raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage")
        return Tensor.numpy(self, force=force)

    def data_ptr(self) -> int:
        """The address of the first element; RuntimeError inside a transform."""
        if self.inner is not None:
            raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage")
        return Tensor.data_ptr(self)


def _data(self: TransformTensor) -> Tensor:
    """Return the memory off the tape of the tensor's own level; RuntimeError for a tensor of a vmap."""
    if self.batch_dim is not None:
        raise RuntimeError("accessing `data` under vmap transform is not allowed")
    t = self._live()
    if t.__class__ is not TransformTensor or t.inner is None:
        return _plain_data.fget(t)  # type: ignore[no-any-return]
    return wrapped_like(t, t.inner)  # type: ignore[no-any-return]


def refuse_mapped_data(tensor: Tensor) -> None:
    """Raise RuntimeError where `.data` is set to, or of, a tensor that a vmap maps over."""
    if tensor.__class__ is TransformTensor and tensor.batch_dim is not None:
        raise RuntimeError("mutating directly with `.data` under vmap transform is not allowed.")


def _set_data(self: TransformTensor, value: Tensor) -> None:
    """Set Tensor.data; RuntimeError for a tensor of a transform."""
    refuse_mapped_data(self)
    if self.level is not None and self.inner is not None and self.level.refuses:
        refuse_mapped_data(value)
        raise RuntimeError("mutating directly with `.data` inside functorch transform is not allowed.")
    _plain_data.fset(self, value)


_plain_data: Any = Tensor.data
setattr(TransformTensor, "data", property(_data, _set_data, _plain_data.fdel))
TransformTensor.__name__ = TransformTensor.__qualname__ = "Tensor"
TransformTensor.__module__ = "torch"

DATA_DEPENDENT = (
    "vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow. We don't support that "
    "yet, please file an issue at https://github.com/pytorch/pytorch/issues ."
)


def wrapped(inner: Tensor, level: Level, batch_dim: int | None = None) -> Value:
    """Wrap `inner` as a tensor of `level`, which maps over its dim `batch_dim` where the level is a vmap."""
    t: Any = _new(TransformTensor)
    t._dtype = inner._dtype
    t._requires_grad = False
    t._grad_fn = t._output_nr = t._grad = t._shared = t._view = t._accumulator = t._extra = t._token = None
    t.inner, t.level, t.batch_dim = inner, level, batch_dim
    synchronize(t)
    return t


def refuse_views(results: Iterable[Tensor]) -> None:
    """Raise RuntimeError for a view of an ordinary tensor in inference mode inside grad or jvp."""
    for result in results:
        below = bottom_of(result)
        if below is not None and not below.is_inference():
            raise RuntimeError("Cannot set version_counter for inference tensor")


def bottom_of(tensor: Value) -> Value:
    """Return the tensor below all wrappers, at the level of no transform; one that wraps nothing is returned itself."""
    while tensor.__class__ is TransformTensor and tensor.inner is not None:
        tensor = tensor.inner
    return tensor


def wrapped_like(tensor: Value, inner: Tensor) -> Value:
    """Wrap `inner` at the level of `tensor`."""
    return wrapped(inner, tensor.level, tensor.batch_dim)


def synchronize(t: Value) -> None:
    """Set a wrapper's value to the current value of its inner tensor."""
    if t.batch_dim is None:
        t._data = t.inner._data
        return
    array = t.inner._array()
    t._data = stand_in(array, t.batch_dim)
