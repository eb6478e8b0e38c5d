"""Arguments and results of transforms, checked with PyTorch's errors."""

from __future__ import annotations

from typing import Any

from backscope.func.pytree import tree_leaves
from backscope.runtime.given import Tree, Value, Values
from backscope.tensor.tensor import Tensor

Argnums = int | tuple[int, ...]


def select(args: tuple[Any, ...], argnums: Tree, *, as_tuple: bool = True) -> Values:
    """Return the arguments by which a transform differentiates; RuntimeError for numbers that don't fit."""
    if not isinstance(argnums, (int, tuple)):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    if isinstance(argnums, int):
        chosen = args[_position(argnums, len(args))]
        return (chosen,) if as_tuple else chosen
    numbers = tuple([_position(n, len(args)) for n in argnums])
    if not numbers:
        raise RuntimeError("argnums must be non-empty")
    if len(set(numbers)) != len(numbers):
        raise RuntimeError(f"argnums elements must be unique, got {numbers}")
    return tuple([args[n] for n in numbers])


def _position(number: Value, count: int) -> int:
    if not isinstance(number, int):
        raise RuntimeError(f"argnum must be int, got: {type(number)}")
    if -count <= number < count:
        return number % count
    raise RuntimeError(f"Got argnum={number}, but only {count} positional inputs")


def replace(args: tuple[Any, ...], new: tuple[Any, ...], argnums: Argnums) -> tuple[Any, ...]:
    """Return `args` with those at `argnums` replaced; as in PyTorch, negative numbers match nothing."""
    numbers = (argnums,) if isinstance(argnums, int) else argnums
    exchanged = dict(zip(numbers, new, strict=True))
    return tuple([exchanged.get(i, a) for i, a in enumerate(args)])


def output_and_aux(output: Value, api: str) -> tuple[Any, Any]:
    """Return the output of a function with has_aux as a pair; errors where it is none."""
    if not (isinstance(output, tuple) and len(output) == 2):
        raise RuntimeError(f"{api}: output of function f should be a tuple: (output, aux) if has_aux is True")
    return output


def outputs_are_tensors(outputs: list[Any], api: str) -> None:
    """Raise RuntimeError where a function gave nothing, or what is no tensor."""
    if not outputs or (len(outputs) == 1 and outputs[0] is None):
        raise RuntimeError(f"{api}: Expected f to be a function that has non-empty output (got output = {outputs})")
    for out in outputs:
        if not isinstance(out, Tensor):
            raise RuntimeError(f"{api}: expected f(*primals) to return only tensors, got unsupported type {type(out)}")


def only_tensors(values: list[Any], api: str, what: str) -> None:
    """Raise RuntimeError for an empty list, or one of other things than tensors."""
    if not values:
        raise RuntimeError(f"{api}: Expected {what} to contain at least one Tensor.")
    for value in values:
        if not isinstance(value, Tensor):
            raise RuntimeError(f"{api}: Expected {what} to only contain Tensors, got {type(value)}")


def refuse_complex(api: str, tree: Tree, what: str) -> None:
    """Raise RuntimeError for a complex tensor in a tree."""
    for i, x in enumerate(tree_leaves(tree)):
        if isinstance(x, Tensor) and x._dtype.is_complex:
            raise RuntimeError(
                f"{api}: Expected all {what} to be real but received complex tensor at flattened input idx: {i}"
            )
