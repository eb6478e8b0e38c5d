"""Sums of products by subscripts: einsum, tensordot, Kronecker products."""

from __future__ import annotations

import math
import re
from typing import Any

from backscope.ops.core.namespace import export
from backscope.runtime.given import Dim, Option, Value
from backscope.tensor.tensor import Tensor

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def sumproduct_pair(left: Value, right: Value, sum_dims: set[int]) -> Value:
    """The sum over `sum_dims` of left * right, which have the same number of dims; summed dims stay with length 1."""
    shared: list[int] = []
    left_only: list[int] = []
    right_only: list[int] = []
    for d in range(left.dim()):
        in_left, in_right = left.shape[d] != 1, right.shape[d] != 1
        if d in sum_dims:
            if in_left and not in_right:
                left = left.sum(d, keepdim=True)
            elif in_right and not in_left:
                right = right.sum(d, keepdim=True)
        elif in_left and in_right:
            shared.append(d)
        elif in_left:
            left_only.append(d)
        else:
            right_only.append(d)
    summed = sorted(sum_dims)
    if left_only and right_only and right_only[-1] < left_only[0]:
        # Then the product has its dims in memory as the result has them.
        left, right, left_only, right_only = right, left, right_only, left_only

    def length(tensor: Value, dims: list[int]) -> int:
        return math.prod(tensor.shape[d] for d in dims)

    order = [*shared, *left_only, *summed, *right_only]
    sizes = [
        *(left.shape[d] for d in [*shared, *left_only]),
        *(1 for _ in summed),
        *(right.shape[d] for d in right_only),
    ]
    batch = length(left, shared)
    first = left.permute(order).reshape(batch, length(left, left_only), length(left, summed))
    turned = [*shared, *summed, *right_only, *left_only]
    second = right.permute(turned).reshape(batch, length(right, summed), length(right, right_only))
    back = [order.index(d) for d in range(left.dim())]
    return first.bmm(second).view(sizes).permute(back)


def _parsed(equation: str, operands: list[Any]) -> tuple[list[list[Any]], list[Any] | None, int]:
    """The labels of each operand and of the output ("..." for dims without labels), and how many dims "..." covers."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) < len(operands):
        raise RuntimeError("einsum(): more operands were provided than specified in the equation")
    if len(terms) > len(operands):
        raise RuntimeError("einsum(): fewer operands were provided than specified in the equation")
    labels: list[list[Any]] = []
    covered = 0
    for number, (term, operand) in enumerate(zip(terms, operands, strict=True)):
        found = re.findall(r"\.\.\.|.", term)
        for label in found:
            if label != "..." and label not in _LETTERS:
                raise RuntimeError(
                    f"einsum(): invalid subscript given at index {left.index(label)} in the equation string, "
                    "subscripts must be in [a-zA-Z]"
                )
        named = [x for x in found if x != "..."]
        rest = operand.dim() - len(named)
        if "..." not in found and rest:
            raise RuntimeError(
                f"einsum(): the number of subscripts in the equation ({len(named)}) does not match the number of "
                f"dimensions ({operand.dim()}) for operand {number} and no ellipsis was given"
            )
        if rest < 0:
            raise RuntimeError(
                f"einsum(): the number of subscripts in the equation ({len(named)}) is more than the number of "
                f"dimensions ({operand.dim()}) for operand {number}"
            )
        if "..." in found:
            covered = max(covered, rest)
        labels.append(found)
    return labels, re.findall(r"\.\.\.|.", right) if arrow else None, covered


def _expanded(labels: list[Any], operand_dims: int | None, covered: int) -> list[Any]:
    """Labels with "..." replaced by numbers, counted from the right."""
    expanded: list[Any] = []
    for label in labels:
        if label == "...":
            count = covered if operand_dims is None else operand_dims - (len(labels) - 1)
            expanded += range(covered - count, covered)
        else:
            expanded.append(label)
    return expanded


@export("einsum", method=False)
def einsum(equation: Option, *operands: Value) -> Value:
    """The sum of products that an equation of subscripts names, e.g. "ij,jk->ik"."""
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = tuple(operands[0])
    if isinstance(equation, Tensor):
        equation, operands = _from_lists((equation, *operands))
    tensors: list[Any] = list(operands)
    if not tensors:
        raise RuntimeError("einsum(): must provide at least one operand")
    if not isinstance(equation, str):
        raise TypeError(f"einsum(): argument 'equation' (position 1) must be str, not {type(equation).__name__}")
    for place, tensor in enumerate(tensors):
        if not isinstance(tensor, Tensor):
            raise TypeError(f"expected Tensor as element {place} in argument 1, but got {type(tensor).__name__}")
    terms, output, covered = _parsed(equation, tensors)
    inputs = [_expanded(term, t.dim(), covered) for term, t in zip(terms, tensors, strict=True)]
    counts: dict[Any, int] = {}
    for labels in inputs:
        for label in labels:
            counts[label] = counts.get(label, 0) + 1
    if output is None:
        chosen = [*range(covered), *sorted(x for x in counts if isinstance(x, str) and counts[x] == 1)]
    else:
        chosen = _expanded(output, None, covered)
        for label in chosen:
            if label not in counts and isinstance(label, str):
                raise RuntimeError(
                    f"einsum(): output subscript {label} does not appear in the equation for any input operand"
                )
            if chosen.count(label) > 1:
                raise RuntimeError(f"einsum(): output subscript {label} appears more than once in the output")
    every = [*chosen, *sorted((x for x in counts if x not in chosen), key=str)]
    _check_sizes(inputs, tensors)
    aligned = [_aligned(t, labels, every) for t, labels in zip(tensors, inputs, strict=True)]
    return _contracted(aligned, len(chosen), len(every))


def _check_sizes(inputs: list[list[Any]], tensors: list[Any]) -> None:
    seen: dict[Any, int] = {}
    for number, (labels, t) in enumerate(zip(inputs, tensors, strict=True)):
        own: dict[Any, int] = {}
        for label, size in zip(labels, t.shape, strict=True):
            if label in own and own[label] != size:
                raise RuntimeError(
                    f"einsum(): subscript {label} is repeated for operand {number} but the sizes don't match, "
                    f"{size} != {own[label]}"
                )
            own[label] = size
            if seen.get(label, 1) != 1 and size not in (1, seen[label]):
                raise RuntimeError(
                    f"einsum(): subscript {label} has size {size} for operand {number} which does not broadcast with "
                    f"previously seen size {seen[label]}"
                )
            if size != 1 or label not in seen:
                seen[label] = size


def _aligned(t: Value, labels: list[Any], every: list[Any]) -> Any:
    """Return the operand with one dim per label in the order of `every`; labels that occur twice take the diagonal."""
    labels = list(labels)
    while len(set(labels)) < len(labels):
        label = next(x for x in labels if labels.count(x) > 1)
        first = labels.index(label)
        second = labels.index(label, first + 1)
        t = t.diagonal(0, first, second).movedim(-1, first)
        del labels[second]
    missing = [x for x in every if x not in labels]
    for _ in missing:
        t = t.unsqueeze(-1)
    labels += missing
    return t.permute([labels.index(x) for x in every])


def _contracted(operands: list[Any], kept: int, dims: int) -> Any:
    result = operands[0]
    for number in range(1, len(operands)):
        other = operands[number]
        later = operands[number + 1 :]
        sum_dims = set()
        for d in range(kept, dims):
            if any(o.shape[d] != 1 for o in later):
                continue
            if result.shape[d] != 1 and other.shape[d] != 1:
                sum_dims.add(d)
            elif result.shape[d] != 1:
                result = result.sum(d, keepdim=True)
            elif other.shape[d] != 1:
                other = other.sum(d, keepdim=True)
        result = sumproduct_pair(result, other, sum_dims) if sum_dims else result * other
    if dims > kept:
        if len(operands) > 1:
            return result.view(result.shape[:kept])
        return result.sum(tuple(range(kept, dims)))
    return result


def _from_lists(arguments: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]]:
    """einsum(a, [0, 1], b, [1, 2], [0, 2]) as an equation."""
    tensors = tuple(a for a in arguments if isinstance(a, Tensor))
    lists = [a for a in arguments if not isinstance(a, Tensor)]

    def term(labels: Any) -> str:
        return "".join("..." if x is Ellipsis else _LETTERS[x] for x in labels)

    equation = ",".join(term(x) for x in lists[: len(tensors)])
    if len(lists) > len(tensors):
        equation += "->" + term(lists[-1])
    return equation, tensors


def _wrapped(dims: Dim, tensor: Value) -> list[int]:
    return [d % max(tensor.dim(), 1) for d in ([dims] if isinstance(dims, int) else dims)]


@export("tensordot", method=False)
def tensordot(a: Value, b: Value, dims: Dim = 2, out: Value = None) -> Value:
    """The sum of products over the last dims of a and the first of b, or over two lists of dims."""
    if isinstance(dims, Tensor):
        dims = dims.tolist()
    if a.dtype is not b.dtype:
        raise RuntimeError("both inputs should have same dtype")
    if isinstance(dims, int):
        if dims < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        if dims > min(a.dim(), b.dim()):
            raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
        dims = list(range(-dims, 0)), list(range(dims))
    given = [[x] if isinstance(x, int) else x for x in dims]
    first, second = ([d % max(t.dim(), 1) for d in x] for x, t in zip(given, (a, b), strict=True))
    if len(first) != len(second):
        raise RuntimeError("both dimension lists should have same length")
    for i, j, in_a, in_b in zip(first, second, *given, strict=True):
        if b.shape[j] == 1:
            a = a.sum(i, keepdim=True, dtype=a.dtype)
        elif a.shape[i] == 1:
            b = b.sum(j, keepdim=True, dtype=b.dtype)
        elif a.shape[i] != b.shape[j]:
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {a.shape[i]} in dim {in_a} and second has "
                f"size {b.shape[j]} in dim {in_b}"
            )
    rest_a = [d for d in range(a.dim()) if d not in first]
    rest_b = [d for d in range(b.dim()) if d not in second]
    common = math.prod(a.shape[d] for d in first)
    shape = [a.shape[d] for d in rest_a] + [b.shape[d] for d in rest_b]
    if math.prod(shape) == 1:
        left, right = a.permute(rest_a + first), b.permute(second + rest_b)
        if left.is_contiguous() and right.is_contiguous():
            return left.flatten().dot(right.flatten()).reshape(shape)
        return (left.squeeze() * right.squeeze()).sum(dtype=left.dtype).reshape(shape)
    left = a.permute(rest_a + first).reshape(math.prod(a.shape[d] for d in rest_a), common)
    right = b.permute(second + rest_b).reshape(common, math.prod(b.shape[d] for d in rest_b))
    return left.mm(right).reshape(shape)


@export("kron")
def kron(input: Value, other: Value) -> Value:  # noqa: A002
    """The Kronecker product."""
    dims = max(input.dim(), other.dim())
    left = [1] * (dims - input.dim()) + list(input.shape)
    right = [1] * (dims - other.dim()) + list(other.shape)
    first = input.reshape([x for n in left for x in (n, 1)])
    second = other.reshape([x for n in right for x in (1, n)])
    return (first * second).reshape([a * b for a, b in zip(left, right, strict=True)])
