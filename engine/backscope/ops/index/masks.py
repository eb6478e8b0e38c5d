"""Filling and picking where a mask is True."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.autograd.transforms.transform_refusals import refuse_dynamic
from backscope.ops.core.arguments.number_casts import check_number
from backscope.ops.core.arguments.out_arguments import prepared_outs
from backscope.ops.core.channels_last import row_major
from backscope.ops.core.declaration import A, K, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.elementwise import broadcast_shape
from backscope.ops.core.mutation import mutate
from backscope.ops.core.namespace import export
from backscope.ops.core.writing import FILLING_MASKS
from backscope.ops.pointwise.arithmetic import pick
from backscope.runtime.given import Value
from backscope.tensor import dtype as types
from backscope.tensor.dtype import C_NAMES, dtype
from backscope.tensor.number_conversion import raw_number
from backscope.tensor.strides import arranged
from backscope.tensor.tensor import Tensor


@op(
    symbol="mask",
    latex={"self": r"g \cdot [\lnot\,\text{mask}]"},
    summary={"self": "passes the incoming gradient on where the mask is False, 0 elsewhere"},
)
class masked_fill:
    """self with a number where the mask is True."""

    def forward(self: A, mask: K, value: Value) -> A:
        return row_major(pick(mask, raw_number(value, dtype.table[self.dtype]), self))

    def grad_self(g: V, mask: V, self_shape: V) -> V:
        return xp.sum_to_size(xp.masked_fill(g, mask, 0), self_shape)


def _cleared(value: V, mask: V) -> V:
    """A value of a formula with 0 where the mask is True, laid out as it was."""
    found = xp.masked_fill(value, mask, 0)
    return found if isinstance(found, Tensor) else arranged(found, [value])


xp.cleared = _cleared


@op(
    grad_fn="MaskedFillBackward1",
    symbol="mask",
    latex={"self": r"g \cdot [\lnot\,\text{mask}]", "value": r"\textstyle\sum g \cdot [\text{mask}]"},
    summary={
        "self": "passes the incoming gradient on where the mask is False, 0 elsewhere",
        "value": "sums the incoming gradient where the mask is True",
    },
)
class masked_fill_tensor:
    """self with a 0-d tensor's value where the mask is True."""

    def forward(self: A, value: A, mask: K) -> A:
        return row_major(np.where(mask, (value.real if self.dtype.kind != "c" else value).astype(self.dtype), self)[()])

    def grad_self(g: V, mask: V, self_shape: V) -> V:
        return xp.sum_to_size(xp.masked_fill(g, mask, 0), self_shape)

    def grad_value(g: V, mask: V) -> V:
        return xp.sum(xp.where(mask, g, 0), None)


@op(
    symbol="[mask]",
    latex={"self": r"g\ \text{where mask}"},
    summary={"self": "puts the incoming gradient where the mask is True, 0 elsewhere"},
)
class masked_select:
    """The elements where the mask is True, in one dim."""

    def forward(self: A, mask: K) -> A:
        shape = np.broadcast_shapes(self.shape, mask.shape)
        return np.broadcast_to(self, shape)[np.broadcast_to(mask, shape)]

    def grad_self(g: V, self: V, mask: V) -> V:
        own = tuple(self.shape)
        shape = np.broadcast_shapes(own, tuple(mask.shape))
        if not shape:
            return xp.sum(g, None)
        if isinstance(g, Tensor):
            return xp.sum_to_size(xp.masked_scatter(xp.zeros_of(g, shape), g, mask), own)
        whole = (np.broadcast_to(mask, shape),)
        return xp.sum_to_size(xp.index_accumulate(xp.zeros_of(g, shape), g, whole), own)


def _check_mask(mask: Tensor, value: Value) -> None:
    """Raise RuntimeError for a value with dims, or a mask that is not of bools."""
    if isinstance(value, Tensor) and value._data.ndim:
        raise RuntimeError(
            "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with "
            f"{value._data.ndim} dimension(s)."
        )
    if mask._dtype is not types.bool_:
        raise RuntimeError(
            f"masked_fill_ only supports boolean masks, but got mask with dtype {C_NAMES.get(mask._dtype.name)}"
        )


def _masked_op(input: Tensor, mask: Tensor, value: Value) -> tuple[str, tuple[Any, ...]]:  # noqa: A002
    """Return the op that fills at a mask and its further arguments; RuntimeError for a number that does not fit."""
    if not isinstance(value, Tensor):
        check_number(value, input._dtype)
        return "masked_fill", (mask, value)
    if types.BOOL < input._dtype.category < value._dtype.category:
        check_number(value.item(), input._dtype)
    return "masked_fill_tensor", (value, mask)


@export("masked_fill")
def _masked_fill(input: Tensor, mask: Tensor, value: Value) -> Any:  # noqa: A002
    """A copy with `value`, a number or a 0-d tensor, where `mask` is True."""
    broadcast_shape(mask._data.shape, input._data.shape)
    _check_mask(mask, value)
    name, args = _masked_op(input, mask, value)
    return apply(primitives[name], input, *args)


@export(function=False)
def masked_fill_(self: Tensor, mask: Tensor, value: Value) -> Tensor:
    """Write `value` where `mask` is True, in place."""
    _check_mask(mask, value)
    shape = broadcast_shape(self._data.shape, mask._data.shape)
    if shape != self._data.shape:
        raise RuntimeError(
            f"output with shape {list(self._data.shape)} doesn't match the broadcast shape {list(shape)}"
        )
    name, args = _masked_op(self, mask, value)
    return mutate(name, self, *args, reported_as="masked_fill_", expanded=True, deprecated=FILLING_MASKS)


def _check_chosen(mask: Tensor) -> None:
    if mask._dtype is not types.bool_:
        raise RuntimeError("masked_select: expected BoolTensor for mask")


def _chosen(input: Tensor, mask: Tensor) -> tuple[None, dtype]:  # noqa: A002
    """Return the dtype of what masked_select reads, which is checked before the shapes."""
    _check_chosen(mask)
    return None, input._dtype


prepared_outs["masked_select"] = _chosen


@export("masked_select")
def _masked_select(input: Tensor, mask: Tensor) -> Any:  # noqa: A002
    """The elements where `mask` is True, in one dim."""
    _check_chosen(mask)
    broadcast_shape(mask._data.shape, input._data.shape)
    refuse_dynamic(mask, "masked_select")
    return apply(primitives["masked_select"], input, mask)
