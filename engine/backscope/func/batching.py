"""Ops on tensors that a vmap maps over: one op on the whole batch where a rule exists, else one per example."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from backscope.autograd.transforms.level import Level
from backscope.autograd.transforms.tensor_arguments import replaced, tensors_in
from backscope.autograd.transforms.transform_tensor import TransformTensor, bottom_of, synchronize, wrapped
from backscope.func.batching_rules import rules
from backscope.func.randomness import DRAWING
from backscope.ops.core.namespace import torch_functions as torch
from backscope.runtime.given import Value, Values
from backscope.tensor.tensor import Tensor

if TYPE_CHECKING:
    from backscope.ops.core.declaration import Op

Run = Callable[..., Any]


def batched(level: Level, op: Op, args: tuple[Any, ...], run: Run) -> Values:
    """Return the results of `run(*args)`, an op, for every example of a vmap's batch."""
    found = NotImplemented
    if op.name in DRAWING:
        return wrapped(run(*replaced(args, lambda x: front(x) if is_mapped(x, level) else x)), level, 0)
    if op.elementwise:
        if len(op.inputs) == 1:
            return wrapped(run(args[0].inner, *args[1:]), level, args[0].batch_dim)
        found = elementwise(level, op, args, run)
    else:
        rule = rules.get(op.name)
        if rule is not None:
            found = rule(Batch(level, op, args, run))
    if found is NotImplemented:
        found = one_by_one(level, args, run)
    if isinstance(found, tuple):
        return tuple([None if x is None else wrapped(x, level, 0) for x in found])
    return wrapped(found, level, 0)


def is_mapped(x: Value, level: Level) -> bool:
    """True for a tensor that `level` maps over."""
    return x.__class__ is TransformTensor and x.level is level


def front(x: Value) -> Value:
    """Return the tensor that a mapped tensor wraps, with its batch dim first."""
    return x.inner if x.batch_dim == 0 else x.inner.movedim(x.batch_dim, 0)


class Batch:
    """A call of an op with tensors that a vmap maps over, as the batching rules get it."""

    def __init__(self, level: Level, op: Op, args: tuple[Any, ...], run: Run) -> None:
        self.level = level
        self.op = op
        self.args = args
        self.run = run

    def mapped(self, position: int) -> bool:
        """Return True when an argument is mapped over."""
        return is_mapped(self.args[position], self.level)

    def level_maps(self, x: Value) -> bool:
        """Return True when the vmap maps over a tensor."""
        return is_mapped(x, self.level)

    @property
    def only_first(self) -> bool:
        """True where the first argument alone is mapped over."""
        return self.mapped(0) and not any(is_mapped(t, self.level) for t in tensors_in(self.args[1:]))

    def whole(self, x: Value) -> Value:
        """Return a tensor with the batch first: its own, or itself expanded to all examples."""
        if is_mapped(x, self.level):
            return front(x)
        return x.unsqueeze(0).expand(self.level.size, *x.shape)


def elementwise(level: Level, op: Op, args: tuple[Any, ...], run: Run) -> Values:
    """Run an elementwise op with batches first and the examples' dims aligned at the end."""
    from backscope.ops.core.elementwise import common_dtype

    rank = max(t._data.ndim for t in tensors_in(args))
    values = args[: len(op.inputs)]
    kinds = {v._dtype for v in values if isinstance(v, Tensor)}
    kind = common_dtype(list(values)) if len(kinds) > 1 else None

    def align(x: Value) -> Any:
        if not is_mapped(x, level):
            return x
        part = front(x)
        if kind is not None and not x._data.ndim and x._dtype is not kind and any(x is v for v in values):
            part = part.to(kind)
        missing = rank - x._data.ndim
        if missing:
            shape = part.shape
            part = part.reshape(shape[0], *(1,) * missing, *shape[1:])
        return part

    return run(*replaced(args, align))


def one_by_one(level: Level, args: tuple[Any, ...], run: Run) -> Values:
    """Run the op for each example by itself and stack the results."""
    if not level.size:
        raise RuntimeError("The fallback path does not support vmap over dims of size 0")
    found = []
    for i in range(level.size):

        def example(x: Value, i: int = i) -> Any:
            return x.inner.select(x.batch_dim, i) if is_mapped(x, level) else x

        found.append(run(*replaced(args, example)))
    if isinstance(found[0], tuple):
        return tuple([None if c[0] is None else torch["stack"](list(c)) for c in zip(*found, strict=True)])
    return torch["stack"](found)


_EXAMPLE_BY_EXAMPLE = frozenset(
    (
        "addcdiv addcmul clamp clamp_tensors conj_physical cumprod cumsum floor_divide fmod fmod_number heaviside "
        "hypot index_copy ldexp lerp lerp_number masked_scatter pow_tensor put remainder remainder_number scatter "
        "scatter_value xlogy xlogy_number "
        + " ".join(f"{n}_{of}_" for n in ["eq", "ne", "lt", "le", "gt", "ge"] for of in ("tensor", "number"))
    ).split()
)
"""In-place ops that PyTorch runs once per example; version counters count each run."""


def batched_in_place(level: Level, op: Op, args: tuple[Any, ...], run: Run) -> Value:
    """Run an op that stores its result in its first argument, for every example of a vmap's batch."""
    if op.name not in _EXAMPLE_BY_EXAMPLE:
        return _stored(level, op, args, run)
    _check_examples(level, args)
    return by_example(args[0], lambda: _stored(level, op, args, run))


def _check_examples(level: Level, args: tuple[Any, ...]) -> None:
    """Raise RuntimeError where an example shares a part of its memory with what it is changed by."""
    from backscope.ops.core.writing import check_overlap

    tensors: list[Any] = list(tensors_in(args))
    mapped = [t for t in tensors if is_mapped(t, level) and t.inner.__class__ is not TransformTensor]
    if len(mapped) > 1 and level.size and mapped[0] is args[0]:
        own, *others = [t.inner.detach().select(t.batch_dim, 0) for t in mapped]
        check_overlap(own, others)


def by_example(target: Value, change: Run) -> Value:
    """Run an in-place change of a mapped tensor that counts as one change for each of its examples."""
    bottom = bottom_of(target)
    counter = bottom._counter()
    before = counter[0]
    found = change()
    counter[0] = before + bottom._data.size // max(target._data.size, 1)
    return found


def _stored(level: Level, op: Op, args: tuple[Any, ...], run: Run) -> Any:
    from backscope.func.transform_errors import unbatched_mutation
    from backscope.ops.core.dispatch import apply

    target: Any = args[0]
    if not is_mapped(target, level):
        raise unbatched_mutation(level, op, args)
    rank = max(t._data.ndim for t in tensors_in(args))
    own = op.elementwise and rank == target._data.ndim and not any(t is target for t in tensors_in(args[1:]))
    if own:
        elementwise(level, op, args, run)
    elif op.name in DRAWING:
        if level.randomness == "same":
            front(target).copy_(run(target.inner.select(target.batch_dim, 0).clone(), *args[1:]))
        else:
            run(front(target), *args[1:])
    else:
        out: Run = op.slow if op.elementwise else lambda *a: apply(op, *a)
        before = wrapped(target.inner.clone(), level, target.batch_dim)
        result = batched(level, op, (before, *args[1:]), out)
        source = front(result)
        missing = target._data.ndim + 1 - source.ndim
        if missing > 0:
            source = source.reshape(source.shape[0], *(1,) * missing, *source.shape[1:])
        front(target).copy_(source)
    synchronize(target)
    return target


def batched_dual(level: Level, tensor: Value, tangent: Value) -> Value:
    """A dual tensor of a mapped primal, a mapped tangent, or both."""
    from backscope.func.forward_ad import dual

    if tensor._data.shape != tangent._data.shape:
        from backscope.func.forward_ad import size_error

        raise size_error(tensor, tangent)
    parts = [
        front(x) if is_mapped(x, level) else x.unsqueeze(0).expand(level.size, *x.shape) for x in (tensor, tangent)
    ]
    return wrapped(dual(*parts, expanded=not is_mapped(tensor, level)), level, 0)
