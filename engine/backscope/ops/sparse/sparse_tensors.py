"""Sparse tensors: making them, reading their coordinates and values, and turning them into dense ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.ops.core.declaration import A, K, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.namespace import export, torch_functions
from backscope.ops.create.creation import born
from backscope.runtime.given import Device, Dim, Dtype, MemoryFormat, Option, Shape, Value, Values
from backscope.runtime.warning import warn_once
from backscope.tensor.layout import sparse_coo, strided
from backscope.tensor.sparse_values import Sparse, elements_at
from backscope.tensor.tensor import Tensor, of_raw

setattr(Tensor, "is_sparse", property(lambda self: isinstance(self._data, Sparse)))
setattr(Tensor, "layout", property(lambda self: sparse_coo if isinstance(self._data, Sparse) else strided))


@op(
    name="to_dense",
    symbol="dense",
    latex={"self": "g"},
    summary={"self": "passes the incoming gradient on"},
)
class dense_of:
    """A sparse tensor with its zeros."""

    def forward(self: A, masked_grad: bool | None = None) -> A:
        return self.dense() if isinstance(self, Sparse) else np.array(self)

    def grad_self(g: V, self: V, masked_grad: V) -> V:
        if masked_grad is False:
            held = self._data if isinstance(self, Tensor) else self
            return xp.to_sparse_dim(g, len(held.indices))
        return xp.sparse_mask(g, self)


@op(
    symbol="sparse",
    latex={"self": r"g\ \text{at the coordinates of mask}"},
    summary={"self": "puts the incoming gradient at the coordinates that were read, 0 elsewhere"},
)
class sparse_mask:
    """The elements at the coordinates of a sparse tensor, as one."""

    def forward(self: A, mask: K) -> A:
        once = mask.coalesce()
        return once.with_values(elements_at(np.asarray(self), once.indices))

    def grad_self(g: V) -> V:
        return xp.to_dense(g)


def _declare_to_sparse(name: str, grad_fn: str) -> None:
    def forward(self: A, dims: Dim = None) -> Any:
        count = self.ndim if dims is None else dims
        present = self != 0 if count == self.ndim else (self != 0).any(tuple(range(count, self.ndim)))
        indices = np.array(np.nonzero(present), np.int64)
        return Sparse(indices, np.atleast_1d(self[tuple(indices)]), self.shape, True)

    def grad_self(g: V) -> V:
        return xp.to_dense(g)

    op(
        name=name,
        grad_fn=grad_fn,
        symbol="sparse",
        latex={"self": "g"},
        summary={"self": "passes the incoming gradient on, its zeros included"},
    )(type(name, (), {"__doc__": "The elements that are not zero.", "forward": forward, "grad_self": grad_self}))


_declare_to_sparse("to_sparse", "ToSparseBackward1")
_declare_to_sparse("to_sparse_dim", "ToSparseBackward0")


@op(symbol="coalesce", latex={"self": "g"}, summary={"self": "passes the incoming gradient on"})
class coalesce:
    """Coordinates in order, each once."""

    def forward(self: A) -> A:
        return self.coalesce()

    def grad_self(g: V) -> V:
        return g


@op(
    name="sparse_values",
    grad_fn="ValuesBackward0",
    symbol="values",
    conjugates=False,
    latex={"self": r"g\ \text{at the coordinates}"},
    summary={"self": "puts the incoming gradient at the coordinates of the saved {self}"},
)
class values_of:
    """The values of a coalesced tensor."""

    def forward(self: A) -> A:
        return self.values

    def grad_self(g: V, self: V) -> V:
        return xp.values_at(g, self)


@op(
    name="values_at",
    grad_fn="SparseCooTensorWithDimsAndTensorsBackward0",
    symbol="sparse",
    latex={"self": r"g\ \text{at the coordinates}"},
    summary={"self": "reads the incoming gradient at the coordinates of the values"},
)
class values_in_place_of:
    """Other values at the coordinates of a coalesced tensor."""

    def forward(self: A, like: K) -> A:
        return like.with_values(self)

    def grad_self(g: V) -> V:
        return xp.sparse_values(g)


@op(
    symbol="sparse",
    latex={"values": r"g\ \text{at the indices}"},
    summary={"values": "reads the incoming gradient at the coordinates of the values"},
    grad_fn="SparseCooTensorWithDimsAndTensorsBackward0",
)
class sparse_coo_tensor:
    """Values at coordinates."""

    def forward(values: A, indices: Values, size: Shape) -> Sparse:
        return Sparse(indices, np.atleast_1d(values), size)

    def grad_values(g: V, indices: V) -> V:
        return xp.read_at(g, indices)


@op(
    symbol="[…]",
    latex={"self": r"g\ \text{at the indices}"},
    summary={"self": "puts the incoming gradient at the coordinates it was read from"},
    grad_fn="SparseMaskBackward0",
)
class read_at:
    """The elements at coordinates."""

    def forward(self: A, indices: Values) -> A:
        return elements_at(np.asarray(self), indices)

    def grad_self(g: V, self_shape: V, indices: V) -> V:
        return xp.to_dense(xp.sparse_coo_tensor(g, indices, tuple(self_shape)))


def _sparse(self: Tensor, what: str) -> Any:
    if not isinstance(self._data, Sparse):
        raise RuntimeError(f"{what} expected sparse coordinate tensor layout but got Strided")
    return self._data


@export("sparse_coo_tensor", method=False)
def _sparse_coo_tensor(
    indices: Values,
    values: Values,
    size: Shape = None,
    *,
    dtype: Dtype = None,
    device: Device = None,
    requires_grad: bool = False,
    check_invariants: Option = None,
    is_coalesced: bool | None = None,
) -> Any:
    """Create a sparse tensor of values at coordinates, by default of the smallest size that fits them."""
    at = np.asarray(indices._data if isinstance(indices, Tensor) else indices, np.int64)
    given: Any = values if isinstance(values, Tensor) else torch_functions["tensor"](values)
    if dtype is not None:
        given = given.to(dtype)
    if check_invariants is None:
        warn_once(
            "Sparse invariant checks are implicitly disabled. Memory errors (e.g. SEGFAULT) will occur when operating "
            "on a sparse tensor which violates the invariants, but checks incur performance overhead. To silence this "
            "warning, explicitly opt in or out. See `torch.sparse.check_sparse_tensor_invariants.__doc__` for "
            "guidance.  (Triggered internally at /__w/pytorch/pytorch/aten/src/ATen/Context.cpp:816.)"
        )
    if size is None:
        size = (*(at.max(1, initial=-1) + 1), *given._data.shape[1:])
    out = apply(primitives["sparse_coo_tensor"], given, at, tuple(int(n) for n in size))
    out._data.coalesced = bool(is_coalesced)
    if requires_grad and not out._requires_grad:
        return born(out._data, out._dtype, "sparse_coo_tensor", True, device)
    return out


@export("to_dense", function=False)
def _to_dense(self: Value, dtype: Dtype = None, *, masked_grad: bool | None = None) -> Any:
    """A dense copy of a sparse tensor."""
    out = apply(primitives["to_dense"], self, masked_grad) if isinstance(self._data, Sparse) else self
    return out if dtype is None else out.to(dtype)


@export("to_sparse", "to_sparse_coo", function=False)
def _to_sparse(
    self: Tensor,
    sparse_dim: int | None = None,
    *,
    layout: MemoryFormat = None,
    blocksize: Shape = None,
    dense_dim: Dim = None,
) -> Any:
    """The elements that are not zero, with their coordinates."""
    if layout is strided:
        return self
    if layout is not None and layout is not sparse_coo:
        raise NotImplementedError(
            f"Backscope has sparse tensors in coordinate format alone, not as {layout!r}: call "
            "to_sparse(layout=torch.sparse_coo)."
        )
    if blocksize is not None:
        raise RuntimeError(
            "dense_to_sparse: conversion from Strided to Sparse with blocksize argument given is not supported"
        )
    ndim = self._data.ndim
    if sparse_dim is not None and not 0 <= sparse_dim <= ndim:
        raise RuntimeError(
            f"dense_to_sparse: sparse_dim argument must be in [0,{ndim}] range, but {sparse_dim} is given"
        )
    if sparse_dim == 0 and ndim:
        raise RuntimeError("dense_to_sparse: sparse_dim argument must be in >0 when self.dim()>0")
    if isinstance(self._data, Sparse):
        return self
    return apply(primitives["to_sparse" if sparse_dim is None else "to_sparse_dim"], self, sparse_dim)


@export("coalesce", function=False)
def _coalesce(self: Tensor) -> Any:
    """Coordinates in order, each once."""
    data = _sparse(self, "coalesce")
    return self if data.coalesced else apply(primitives["coalesce"], self)


@export("is_coalesced", function=False)
def _is_coalesced(self: Tensor) -> bool:
    """True when each coordinate occurs once, in order."""
    return bool(_sparse(self, "is_coalesced").coalesced)


def _coalesced(self: Tensor, name: str) -> Any:
    data = _sparse(self, name)
    if not data.coalesced:
        raise RuntimeError(f"Cannot get {name} on an uncoalesced tensor, please call .coalesce() first")
    return data


@export("indices", function=False)
def _indices(self: Tensor) -> Any:
    """The coordinates of a coalesced tensor."""
    return of_raw(_coalesced(self, "indices").indices)


@export("values", function=False)
def _values(self: Tensor) -> Any:
    """The values of a coalesced tensor."""
    _coalesced(self, "values")
    return apply(primitives["sparse_values"], self)


@export("_indices", function=False)
def _raw_indices(self: Tensor) -> Any:
    """Return the coordinates, coalesced or not."""
    return of_raw(_sparse(self, "_indices").indices)


@export("_values", function=False)
def _raw_values(self: Tensor) -> Any:
    """Return the values, coalesced or not."""
    return of_raw(_sparse(self, "_values").values)


@export("_nnz", function=False)
def _nnz(self: Tensor) -> int:
    """The number of values."""
    return len(_sparse(self, "_nnz").values)


@export("sparse_dim", function=False)
def _sparse_dim(self: Value) -> int:
    """The number of dims of the coordinates."""
    return len(self._data.indices) if isinstance(self._data, Sparse) else 0


@export("dense_dim", function=False)
def _dense_dim(self: Tensor) -> int:
    """The number of dims of each value."""
    return int(self._data.ndim - _sparse_dim(self))


@export("sparse_mask", function=False)
def _sparse_mask(self: Tensor, mask: Tensor) -> Any:
    """The elements at the coordinates of a sparse tensor."""
    _sparse(mask, "sparse_mask")
    return apply(primitives["sparse_mask"], self, mask)
