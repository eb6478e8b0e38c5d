"""vmap: a function of single examples run once on a batch of them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from backscope.autograd.transforms.level import Level, opened
from backscope.autograd.transforms.transform_tensor import TransformTensor, wrapped
from backscope.func.pytree import TreeSpec, broadcast_to_and_flatten, tree_flatten, tree_map_, tree_unflatten
from backscope.func.randomness import LEGACY
from backscope.ops.core.namespace import torch_functions as torch
from backscope.runtime.given import Dim, Tree, Value
from backscope.tensor.tensor import Tensor

Function = Callable[..., Any]


def vmap(
    func: Function, in_dims: Tree = 0, out_dims: Tree = 0, randomness: str = "error", *, chunk_size: int | None = None
) -> Function:
    """Return a function that maps `func` over the dims `in_dims` of its arguments; results have dims `out_dims`.

    ValueError where dims and arguments don't fit each other.
    """
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}")
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    @functools.wraps(func)
    def mapped(*args: Any, **kwargs: Any) -> Any:
        call = _Call(func, in_dims, out_dims, randomness)
        call.check_out_dims()
        size, dims, leaves, spec = call.inputs(args)
        if chunk_size is None:
            return call.run(size, dims, leaves, spec, kwargs)
        return _in_chunks(call, size, dims, leaves, spec, kwargs, chunk_size)

    return mapped


vmap.__module__ = "torch.func"


def chunk_vmap(
    func: Function, in_dims: Tree = 0, out_dims: Tree = 0, randomness: str = "error", chunks: int = 2
) -> Function:
    """Apply vmap in `chunks` parts, with the sizes of torch.chunk."""
    if chunks == 1:
        return vmap(func, in_dims, out_dims, randomness)
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}")

    @functools.wraps(func)
    def mapped(*args: Any, **kwargs: Any) -> Any:
        call = _Call(func, in_dims, out_dims, randomness)
        call.check_out_dims()
        size, dims, leaves, spec = call.inputs(args)
        return _in_chunks(call, size, dims, leaves, spec, kwargs, max(1, -(-size // chunks)))

    return mapped


def mapped_by_autograd(func: Function) -> Function:
    """`func` over the leading dims of its arguments, as torch.autograd maps: without random numbers."""

    def mapped(*args: Any) -> Any:
        call = _Call(func, 0, 0, LEGACY)
        return call.run(*call.inputs(args), {})

    return mapped


def _name(func: Callable[..., Any]) -> str:
    if hasattr(func, "__name__"):
        return str(func.__name__)
    if isinstance(func, functools.partial):
        return f"functools.partial({_name(func.func)}, ...)"
    return repr(func)


class _Call:
    """One call of vmap: its function, the dims that it maps over, and its randomness."""

    def __init__(self, func: Function, in_dims: Tree, out_dims: Tree, randomness: str) -> None:
        self.func = func
        self.in_dims = in_dims
        self.out_dims = out_dims
        self.randomness = randomness
        self.name = _name(func)

    def check_out_dims(self) -> None:
        """Raise ValueError for out_dims that are not numbers, None, or containers of them."""

        def check(x: Value) -> None:
            if not isinstance(x, int) and x is not None:
                raise ValueError(
                    f"vmap({self.name}, ..., out_dims={self.out_dims}): `out_dims` must be an int, None or a python "
                    "collection of ints representing where in the outputs the vmapped dimension should appear."
                )

        tree_map_(check, self.out_dims)

    def inputs(self, args: tuple[Any, ...]) -> tuple[int, list[Any], list[Any], TreeSpec]:
        """The size of the batch, the dim of each leaf of the arguments, the leaves and their structure."""
        in_dims = self.in_dims
        if not isinstance(in_dims, (int, tuple)):
            raise ValueError(
                f"vmap({self.name}, in_dims={in_dims}, ...)(<inputs>): expected `in_dims` to be int or a (potentially "
                f"nested) tuple matching the structure of inputs, got: {type(in_dims)}."
            )
        if not args:
            raise ValueError(
                f"vmap({self.name})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to "
                "vmap over a function with no inputs. The latter is unsupported."
            )
        leaves, spec = tree_flatten(args)
        dims = broadcast_to_and_flatten(in_dims, spec)
        if dims is None:
            raise ValueError(
                f"vmap({self.name}, in_dims={in_dims}, ...)(<inputs>): in_dims is not compatible with the structure of "
                f"`inputs`. in_dims has structure {tree_flatten(in_dims)[1]} but inputs has structure {spec}."
            )
        dims = [self._checked(x, d) for x, d in zip(leaves, dims, strict=True)]
        sizes = [x.shape[d] for x, d in zip(leaves, dims, strict=True) if d is not None]
        if not sizes:
            raise ValueError("vmap: Expected at least one Tensor to vmap over")
        if any(n != sizes[0] for n in sizes):
            raise ValueError(
                "vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
                f"{sizes} for the mapped dimension"
            )
        return sizes[0], dims, leaves, spec

    def _checked(self, x: Value, dim: Dim) -> int | None:
        where = f"vmap({self.name}, in_dims={self.in_dims}, ...)(<inputs>): Got in_dim"
        if dim is None:
            return None
        if not isinstance(dim, int):
            raise ValueError(f"{where}={dim} for an input but in_dim must be either an integer dimension or None.")
        if not isinstance(x, Tensor):
            raise ValueError(
                f"{where}={dim} for an input but the input is of type {type(x)}. We cannot vmap over non-Tensor "
                "arguments, please use None as the respective in_dim"
            )
        if not -x.ndim <= dim < x.ndim:
            raise ValueError(
                f"{where}={dim} for some input, but that input is a Tensor of dimensionality {x.ndim} so expected "
                f"in_dim to satisfy -{x.ndim} <= in_dim < {x.ndim}."
            )
        return dim % x.ndim

    def run(self, size: int, dims: list[Any], leaves: list[Any], spec: TreeSpec, kwargs: dict[str, Any]) -> Any:
        """Call the function on tensors of a new level, and give its results their dims back."""
        with opened("vmap") as level:
            level.size, level.randomness = size, self.randomness
            inputs = [x if d is None else wrapped(x, level, d) for x, d in zip(leaves, dims, strict=True)]
            return self._outputs(self.func(*tree_unflatten(inputs, spec), **kwargs), level)

    def _outputs(self, output: Value, level: Level) -> Any:
        leaves, spec = tree_flatten(output)
        out_dims = self.out_dims
        if isinstance(output, Tensor):
            single = out_dims[0] if isinstance(out_dims, tuple) and len(out_dims) == 1 else out_dims
            dims = [single] if isinstance(single, int) or single is None else None
        else:
            dims = broadcast_to_and_flatten(out_dims, spec)
        if dims is None:
            raise ValueError(
                f"vmap({self.name}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with the structure "
                f"of `outputs`. out_dims has structure {tree_flatten(out_dims)[1]} but outputs has structure {spec}."
            )
        return tree_unflatten([self._output(x, level, d) for x, d in zip(leaves, dims, strict=True)], spec)

    def _output(self, x: Value, level: Level, dim: int | None) -> Any:
        batched = x.__class__ is TransformTensor and x.level is level
        if dim is None:
            if batched:
                raise ValueError(
                    f"vmap({self.name}, ...): `{self.name}` can not return a BatchedTensor when out_dim is None"
                )
            return x
        if not isinstance(x, Tensor):
            raise ValueError(
                f"vmap({self.name}, ...): `{self.name}` must only return Tensors, got type {type(x)}. Did you mean to "
                "set out_dims= to None for output?"
            )
        whole: Any = x
        rank = x.ndim + 1
        if not -rank <= dim < rank:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [{-rank}, {rank - 1}], but got {dim})"
            )
        if not batched:
            return whole.unsqueeze(0).expand(level.size, *x.shape).movedim(0, dim)
        at = dim % rank
        return whole.inner if whole.batch_dim == at else whole.inner.movedim(whole.batch_dim, at)


def _in_chunks(
    call: _Call, size: int, dims: list[Any], leaves: list[Any], spec: TreeSpec, kwargs: dict[str, Any], chunk: int
) -> Any:
    """Run a vmap on parts of the batch, and join their results."""
    from backscope.random import default_generator

    state = default_generator.get_state() if call.randomness == "same" else None
    outputs = []
    for start in range(0, size, chunk):
        count = min(chunk, size - start)
        part = [x if d is None else x.narrow(d, start, count) for x, d in zip(leaves, dims, strict=True)]
        if state is not None:
            default_generator.set_state(state)
        outputs.append(tree_flatten(call.run(count, dims, part, spec, kwargs)))
    if not outputs:
        raise AssertionError("arg_spec must not be None")
    out_spec = outputs[0][1]
    out_dims = broadcast_to_and_flatten(call.out_dims, out_spec)
    assert out_dims is not None
    columns = zip(*[values for values, _ in outputs], strict=True)
    joined = [torch["cat"](list(c), dim=d) for c, d in zip(columns, out_dims, strict=True)]
    return tree_unflatten(joined, out_spec)
