"""Distances and similarities of vectors, and the losses made of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from backscope.autograd.evaluation import composed
from backscope.autograd.modes.grad_mode import no_grad
from backscope.ops.core.arguments.dims import as_dims
from backscope.ops.core.broadcasting import broadcast_tensors
from backscope.ops.core.declaration import op, primitives
from backscope.ops.core.dispatch import apply
from backscope.ops.core.namespace import export, torch_functions
from backscope.ops.loss.reducing_loss import reduce_tensor, reduction_number
from backscope.ops.reduce import norms  # noqa: F401 - declares the norm of vectors
from backscope.runtime.given import Dim, Option, Shape, Value
from backscope.tensor.dtype import FLOATING, promote_types
from backscope.tensor.tensor import Tensor

_vector_norm = primitives["linalg_vector_norm"]


def _norm_of_a_dim(self: Value, p: Value, dim: Dim, keepdim: bool = False) -> Any:
    return _vector_norm.forward(self, p, dim, keepdim)


def _slope_of_norm(g: Value, self: Value, result: Value, p: Value, self_shape: Shape, dim: Dim, keepdim: Option) -> Any:
    return _vector_norm.formulas["self"](g, self, result, p, self_shape, dim, keepdim)


def _norm_of_all(self: Value, p: Value) -> Any:
    return _vector_norm.forward(self, p)


def _slope_of_all(g: Value, self: Value, result: Value, p: Value, self_shape: Shape) -> Any:
    return _vector_norm.formulas["self"](g, self, result, p, self_shape, None, False)


def _norm(name: str, grad_fn: str, forward: Callable[..., Any], slope: Value) -> None:
    forward.__annotations__ = {"self": "A"}
    op(
        name=name,
        grad_fn=grad_fn,
        symbol="‖x‖",
        latex={"self": r"g \cdot \frac{\text{self}}{\text{result}}"},
        summary={"self": "multiplies the incoming {g} by {self} divided by the saved norm {result}"},
    )(type(name, (), {"forward": forward, "grad_self": slope}))


_norm("norm_all", "NormBackward0", _norm_of_all, _slope_of_all)
_norm("norm_dim", "NormBackward1", _norm_of_a_dim, _slope_of_norm)


@composed
def _pairwise_distance(x1: Value, x2: Value, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Any:
    """The p-norm of the difference of vectors along the last dim."""
    difference = x1 - x2 + float(eps)
    return apply(primitives["norm_dim"], difference, float(p), as_dims(difference._data.ndim - 1), bool(keepdim))


_pairwise_distance.__name__ = "pairwise_distance"
export("pairwise_distance", method=False, nn=True)(_pairwise_distance)


@export("cosine_similarity", method=False, nn=True)
@composed
def _cosine_similarity(x1: Value, x2: Value, dim: int = 1, eps: float = 1e-8) -> Any:
    """The cosine of the angle between vectors along a dim; RuntimeError for whole numbers."""
    kind = promote_types(x1._dtype, x2._dtype)
    if kind.category != FLOATING:
        raise RuntimeError(f"expected common dtype to be floating point, yet common dtype is {kind.type_name}")
    x1, x2 = (x.to(kind) if x._dtype.category < FLOATING else x for x in (x1, x2))
    x1, x2 = broadcast_tensors(x1, x2)
    lengths = [apply(_vector_norm, x, 2.0, as_dims(dim), True).clone() for x in (x1, x2)]
    with no_grad():
        for length in lengths:
            length.clamp_min_(eps)
    return ((x1 / lengths[0]) * (x2 / lengths[1])).sum(dim)


@export(method=False, function=False, nn=True)
def normalize(input: Value, p: float = 2.0, dim: int = 1, eps: float = 1e-12, out: Value = None) -> Value:  # noqa: A002
    """Vectors along a dim divided by their p-norm, which counts at least eps."""
    length = input.norm(p, dim, keepdim=True).clamp_min(eps).expand_as(input)
    return input / length if out is None else torch_functions["div"](input, length, out=out)


@composed
def _cosine_embedding(input1: Value, input2: Value, target: Value, margin: float, reduction: int) -> Any:
    ndim = target._data.ndim
    if ndim > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if input1._data.ndim != ndim + 1:
        raise RuntimeError(
            f"{ndim}D target tensor expects {ndim + 1}D input tensors, but found inputs with sizes "
            f"{list(input1.shape)} and {list(input2.shape)}."
        )
    product = (input1 * input2).sum(ndim)
    square1 = (input1 * input1).sum(ndim) + 1e-12
    square2 = (input2 * input2).sum(ndim) + 1e-12
    cosine = product / (square1 * square2).sqrt()
    where, zeros = torch_functions["where"], torch_functions["zeros_like"](cosine)
    alike = where(target == 1, 1 - cosine, zeros)
    unlike = where(target == -1, (cosine - margin).clamp_min(0), zeros)
    return reduce_tensor(alike + unlike, reduction)


@export(method=False, function=False, nn=True)
def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: Option = None,
    reduce: Option = None,
    reduction: str = "mean",
) -> Value:
    """1 − cosine where the target is 1, the cosine beyond a margin where it is −1."""
    return _cosine_embedding(input1, input2, target, margin, reduction_number(reduction, size_average, reduce))


def _check_ranks(anchor: Value, positive: Value, negative: Value) -> None:
    a, p, n = (x._data.ndim for x in (anchor, positive, negative))
    if not a == p == n:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: "
            f"anchor {a}D, positive {p}D, and negative {n}D inputs"
        )


@composed
def _triplet(
    anchor: Value, positive: Value, negative: Value, margin: float, p: float, eps: float, swap: bool, reduction: int
) -> Any:
    _check_ranks(anchor, positive, negative)
    near = _pairwise_distance(anchor, positive, p, eps)
    far = _pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = far.minimum(_pairwise_distance(positive, negative, p, eps))
    return reduce_tensor((near + float(margin) - far).clamp_min(0), reduction)


@export(method=False, function=False, nn=True)
def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: Option = None,
    reduce: Option = None,
    reduction: str = "mean",
) -> Value:
    """Return the margin plus the distance to the positive minus that to the negative, or 0 where that is negative."""
    number = reduction_number(reduction, size_average, reduce)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    return _triplet(anchor, positive, negative, margin, p, eps, swap, number)


@export(method=False, function=False, nn=True)
def triplet_margin_with_distance_loss(
    anchor: Value,
    positive: Value,
    negative: Value,
    *,
    distance_function: Callable[[Any, Any], Any] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Value:
    """triplet_margin_loss with any distance."""
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    _check_ranks(anchor, positive, negative)
    distance = _pairwise_distance if distance_function is None else distance_function
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = torch_functions["minimum"](far, distance(positive, negative))
    return reduce_tensor(torch_functions["clamp_min"](margin + near - far, 0), reduction_number(reduction))
