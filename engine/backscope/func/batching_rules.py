"""Batching rules: how ops that are not elementwise run on a whole batch, by the meaning of their parameters."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from backscope.autograd.transforms.transform_tensor import wrapped
from backscope.ops.core.namespace import torch_functions as torch
from backscope.runtime.given import Dim, Shape, Value
from backscope.tensor.tensor import Tensor

Rule = Callable[[Any], Any]

rules: dict[str, Rule] = {}
"""The rule of an op by its name; a rule gives results with the batch in front, or NotImplemented."""

_ALONG = (
    "cumsum cumprod softmax log_softmax logsumexp max_dim min_dim median_dim sort topk flip select slice unbind split "
    "split_with_sizes transpose squeeze_dim squeeze_dims diagonal unfold prod_dim diagonal_copy index_select "
    "index_fill cummax cummin logcumsumexp mode kthvalue glu narrow_copy select_copy slice_copy unbind_copy split_copy "
    "split_with_sizes_copy transpose_copy squeeze_dim_copy squeeze_dims_copy unfold_copy"
)
_REDUCED = "sum mean_dim amax amin var std var_mean std_mean linalg_vector_norm any all count_nonzero argmax argmin"
_ALL_ALONG = "gather scatter scatter_add scatter_value softmax_backward log_softmax_backward index_add index_copy"
_DIMS = {"dim", "dims", "dim0", "dim1", "dim2", "dimension"}
_SHAPES = {"shape", "size"}


def _rule(*names: str) -> Callable[[Rule], Rule]:
    def declare(rule: Rule) -> Rule:
        for name in names:
            rules[name] = rule
        return rule

    return declare


def _shifted(dim: Dim, rank: int) -> Any:
    """Return a dim, or several, of an example as dims of the batch."""
    if isinstance(dim, int):
        return dim % rank + 1
    return tuple([d % rank + 1 for d in dim])


def _along(batch: Value, rank: int, inputs: list[Any], *, all_for_none: bool = False) -> Any:
    """Run the op with its dims moved by one, on inputs with the batch first."""
    args = list(batch.args)
    for p, x in zip(batch.op.positions, inputs, strict=True):
        args[p] = x
    for p, name in enumerate(batch.op.parameters):
        if name in _DIMS:
            if all_for_none and (args[p] is None or args[p] == ()):
                args[p] = tuple(range(1, rank + 1))
            elif args[p] is not None:
                args[p] = _shifted(args[p], rank)
        elif name in _SHAPES and isinstance(args[p], (tuple, list)):
            args[p] = (batch.level.size, *args[p])
    return batch.run(*args)


@_rule(*_ALONG.split())
def _one_along(batch: Value) -> Any:
    rank = batch.args[0]._data.ndim
    if not batch.only_first or not rank:
        return NotImplemented
    return _along(batch, rank, [batch.whole(batch.args[0])] + [batch.args[p] for p in batch.op.positions[1:]])


@_rule(*_REDUCED.split())
def _reduced(batch: Value) -> Any:
    rank = batch.args[0]._data.ndim
    if not batch.only_first or not rank:
        return NotImplemented
    if batch.op.name in ("argmax", "argmin") and batch.args[1] is None:
        return NotImplemented
    return _along(batch, rank, [batch.whole(batch.args[0])], all_for_none=True)


@_rule("unsqueeze", "unsqueeze_copy", "diag_embed")
def _widened(batch: Value) -> Any:
    if not batch.only_first:
        return NotImplemented
    return _along(batch, batch.args[0]._data.ndim + 1, [batch.whole(batch.args[0])])


@_rule("select_backward", "slice_backward", "diagonal_backward", "unfold_backward")
def _placed(batch: Value) -> Any:
    shape = batch.args[batch.op.parameters.index("shape")]
    if not batch.only_first:
        return NotImplemented
    return _along(batch, len(shape), [batch.whole(batch.args[0])])


@_rule(*_ALL_ALONG.split())
def _all_along(batch: Value) -> Any:
    """Ops of tensors with dims of the same meaning; an index along one dim is not such a tensor."""
    args = batch.args
    rank = args[0]._data.ndim
    flat_index = batch.op.name in ("index_add", "index_copy")
    positions = batch.op.positions if flat_index else [p for p, a in enumerate(args) if isinstance(a, Tensor)]
    if not rank or any(args[p]._data.ndim != rank for p in positions):
        return NotImplemented
    if flat_index and any(batch.mapped(p) for p in range(len(args)) if p not in positions):
        return NotImplemented
    values = list(args)
    for p in positions:
        values[p] = batch.whole(args[p])
    for p, name in enumerate(batch.op.parameters):
        if name == "dim":
            values[p] = args[p] % rank + 1
    return batch.run(*values)


@_rule(
    "clone",
    "to_copy",
    "alias",
    "alias_copy",
    "detach_copy",
    "view_as_real_copy",
    "fw_primal",
    "zero",
    "fill",
    "view_as_real",
    "view_as_complex",
    "conj",
    "neg_view",
)
def _unchanged(batch: Value) -> Any:
    if not batch.only_first:
        return NotImplemented
    return batch.run(batch.whole(batch.args[0]), *batch.args[1:])


@_rule("tril", "triu", "constant_pad_nd")
def _trailing(batch: Value) -> Any:
    if not batch.only_first:
        return NotImplemented
    if batch.op.name != "constant_pad_nd" and not batch.args[0]._data.ndim:
        raise RuntimeError(f"{batch.op.name}: The input tensor must have at least 2 dimensions.")
    # As in PyTorch, mapped vectors form one matrix with the batch first, and its triangle is taken.
    return batch.run(batch.whole(batch.args[0]), *batch.args[1:])


def _all_reduced(reduce: Callable[[Any, tuple[int, ...]], Any]) -> Rule:
    def rule(batch: Value) -> Any:
        rank = batch.args[0]._data.ndim
        value = front_of(batch)
        return reduce(value, tuple(range(1, rank + 1))) if rank else value.clone()

    return rule


def front_of(batch: Value) -> Value:
    """Return the first argument with the batch first."""
    return batch.whole(batch.args[0])


rules["sum_all"] = _all_reduced(lambda x, dims: x.sum(dims))
rules["mean_all"] = _all_reduced(lambda x, dims: x.mean(dims))
rules["max_all"] = _all_reduced(lambda x, dims: x.amax(dims))
rules["min_all"] = _all_reduced(lambda x, dims: x.amin(dims))
rules["prod_all"] = _all_reduced(lambda x, dims: x.reshape(x.shape[0], -1).prod(1))
rules["trace"] = lambda batch: front_of(batch).diagonal(0, 1, 2).sum(-1)


@_rule("view", "reshape_alias", "unsafe_view")
def _view(batch: Value) -> Any:
    return front_of(batch).reshape(batch.level.size, *batch.args[1])


@_rule("expand")
def _expand(batch: Value) -> Any:
    value, size = front_of(batch), tuple(batch.args[1])
    shape = value.shape
    padded = value.reshape(shape[0], *(1,) * (len(size) + 1 - len(shape)), *shape[1:])
    return padded.expand(shape[0], *size)


@_rule("repeat")
def _repeat(batch: Value) -> Any:
    value, times = front_of(batch), tuple(batch.args[1])
    shape = value.shape
    padded = value.reshape(shape[0], *(1,) * (len(times) + 1 - len(shape)), *shape[1:])
    return padded.repeat(1, *times)


@_rule("permute")
def _permute(batch: Value) -> Any:
    rank = batch.args[0]._data.ndim
    return front_of(batch).permute(0, *[d % rank + 1 for d in batch.args[1]])


@_rule("t")
def _t(batch: Value) -> Any:
    value = front_of(batch)
    return value.transpose(1, 2) if value.ndim == 3 else value.view(value.shape)


@_rule("squeeze")
def _squeeze(batch: Value) -> Any:
    value = front_of(batch)
    return value.squeeze(tuple([d for d in range(1, value.ndim) if value.shape[d] == 1]))


@_rule("roll")
def _roll(batch: Value) -> Any:
    value, shifts, dims = front_of(batch), batch.args[1], batch.args[2]
    if value.ndim == 1:
        return value.clone()
    if not dims:
        return value.reshape(value.shape[0], -1).roll(shifts, (1,)).reshape(value.shape)
    return value.roll(shifts, _shifted(dims, value.ndim - 1))


@_rule("cat", "stack")
def _joined(batch: Value) -> Any:
    tensors, dim, _ = batch.args
    rank = tensors[0]._data.ndim + (batch.op.name == "stack")
    if any(t._data.shape == (0,) for t in tensors) and batch.op.name == "cat":
        return NotImplemented
    return torch[batch.op.name]([batch.whole(t) for t in tensors], dim % rank + 1)


@_rule("masked_fill", "masked_fill_tensor", "copy")
def _broadcasting(batch: Value) -> Any:
    """Ops that broadcast their other tensors to the first."""
    rank = batch.args[0]._data.ndim

    def align(x: Value) -> Any:
        if not batch.level_maps(x):
            return x
        part = batch.whole(x)
        return part.reshape(part.shape[0], *(1,) * (rank + 1 - part.ndim), *part.shape[1:])

    if any(isinstance(a, Tensor) and a._data.ndim > rank for a in batch.args[1:]):
        return NotImplemented
    if batch.op.name == "masked_fill_tensor" and batch.mapped(1):
        return torch["where"](align(batch.args[2]), align(batch.args[1]), batch.whole(batch.args[0]))
    return batch.run(batch.whole(batch.args[0]), *[align(a) for a in batch.args[1:]])


@_rule("polar", "complex", "mse_loss_backward")
def _pointwise(batch: Value) -> Any:
    tensors = [a for a in batch.args if isinstance(a, Tensor)]
    if any(t._data.shape != tensors[0]._data.shape for t in tensors) or batch.op.name == "mse_loss_backward":
        return NotImplemented
    return batch.run(*[batch.whole(a) if isinstance(a, Tensor) else a for a in batch.args])


def _columns(batch: Value, position: int) -> Any:
    """Make each example's vector a matrix of one column."""
    return _operand(batch, position).unsqueeze(-1)


def _operand(batch: Value, position: int) -> Any:
    x = batch.args[position]
    return batch.whole(x) if batch.level_maps(x) else x


@_rule("mm")
def _mm(batch: Value) -> Any:
    a, b = _operand(batch, 0), _operand(batch, 1)
    return torch["matmul"](a, b)


@_rule("bmm")
def _bmm(batch: Value) -> Any:
    return torch["matmul"](_operand(batch, 0), _operand(batch, 1))


@_rule("mv")
def _mv(batch: Value) -> Any:
    if not batch.mapped(0):
        return torch["matmul"](_operand(batch, 1), batch.args[0].t())
    if not batch.mapped(1):
        return torch["matmul"](_operand(batch, 0), batch.args[1])
    return torch["matmul"](_operand(batch, 0), _columns(batch, 1)).squeeze(-1)


@_rule("dot", "vdot")
def _dot(batch: Value) -> Any:
    a, b = _operand(batch, 0), _operand(batch, 1)
    if batch.op.name == "vdot":
        a = a.conj()
    if not batch.mapped(0):
        return torch["matmul"](b, a)
    if not batch.mapped(1):
        return torch["matmul"](a, b)
    return torch["matmul"](a.unsqueeze(1), b.unsqueeze(2)).squeeze(2).squeeze(1)


@_rule("addmm", "addmv", "baddbmm")
def _added(batch: Value) -> Any:
    """beta * input + alpha * product, term by term."""
    start, a, b, beta, alpha = batch.args
    product = a @ b
    if alpha != 1:
        product = product * alpha
    total = product if beta == 0 else product + (start if beta == 1 else start * beta)
    return batch.whole(total)


def _check_reach(mapped: Any, size: Shape, stride: Shape, start: int) -> None:
    """Raise RuntimeError where a view by strides would leave the memory of its example."""
    first = mapped.inner.storage_offset()
    own = first + sum((n - 1) * s for n, s in zip(mapped.shape, mapped.stride(), strict=True))
    last = start + sum((n - 1) * s for n, s in zip(size, stride, strict=True))
    if math.prod(size) and (last > own or start < first):
        raise RuntimeError(
            f"result = tensor.as_strided({list(size)}, {list(stride)}, {start}) can access memory outside of `tensor`. "
            f"`result` can access some memory in range [{start}, {last + 1}], but `tensor` can only access some memory "
            f"in range [{first}, {own + 1}]. This is not supported inside of vmap, please try to rewrite the "
            "`as_strided` call as a sequence of PyTorch view operations"
        )


@_rule("as_strided", "as_strided_copy")
def _as_strided(batch: Value) -> Any:
    """Return a view in which each example's memory starts where it does in the batch."""
    mapped, size, stride, offset = batch.args
    whole = mapped.inner
    start = whole.storage_offset() if offset is None else offset
    step = whole.stride(mapped.batch_dim)
    _check_reach(mapped, size, stride, start)
    return batch.run(whole, (batch.level.size, *size), (step, *stride), start)


@_rule("copy_in_layout")
def _copied(batch: Value) -> Any:
    value, like = batch.whole(batch.args[1]), batch.args[2]
    order = sorted(range(like.ndim), key=lambda d: -like.strides[d])
    back = [order.index(d) + 1 for d in range(like.ndim)]
    ordered = value.permute(0, *[d + 1 for d in order])
    dense = ordered.contiguous()
    return (ordered.clone() if dense is ordered else dense).permute(0, *back)


@_rule("index_accumulate")
def _accumulated(batch: Value) -> Any:
    """Ops that write to their first tensor: each example needs memory of its own."""
    from backscope.func.batching import one_by_one

    own = wrapped(batch.whole(batch.args[0]).clone(), batch.level, 0)
    return one_by_one(batch.level, (own, *batch.args[1:]), batch.run)


@_rule("native_batch_norm")
def _batch_norm(batch: Value) -> Any:
    names = batch.op.parameters
    running = [batch.args[names.index(n)] for n in ("running_mean", "running_var")]
    if batch.args[names.index("training")] and any(r is not None and not batch.level_maps(r) for r in running):
        raise RuntimeError(
            "Batch norm got a batched tensor as input while the running_mean or running_var, which will be updated in "
            "place, were not batched.\nIf you are using a module and do not need eval mode, please set "
            "`track_running_stats` to be False.If you are using a prebuilt module and do not need eval mode, please "
            "see the functorch website for resources on how to patch your module to work with vmap"
        )
    return NotImplemented
