"""Conversions of distribution parameters: broadcasting, probabilities and log odds, matrices and vectors."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from backscope.autograd.modes.grad_mode import enable_grad
from backscope.ops.core.namespace import functional, torch_functions
from backscope.runtime.given import Device, Dtype, Shape, Value
from backscope.tensor.dtype import default
from backscope.tensor.number_limits import finfo
from backscope.tensor.tensor import Tensor

if TYPE_CHECKING:
    from backscope.tensor.size import Size

NUMBERS = (int, float, complex, bool)
euler_constant = 0.57721566490153286060


class lazy_property(cached_property[Any]):  # noqa: N801 - PyTorch's own name
    """A property that is computed, and recorded for backward, when it is first read."""

    # Any: the decorated function returns a value of any type.
    def __get__(self, instance: object, owner: type | None = None) -> Any:
        with enable_grad():
            return super().__get__(instance, owner)


def broadcast_all(*values: Value) -> tuple[Value, ...]:
    """Convert numbers and tensors to tensors of one shape; numbers get the dtype of the first tensor."""
    if not all(isinstance(v, (Tensor, *NUMBERS)) for v in values):
        raise ValueError(
            "Input arguments must all be instances of Number, torch.Tensor or objects implementing __torch_function__."
        )
    kind = next((v.dtype for v in values if isinstance(v, Tensor)), default.floating)
    tensors = [v if isinstance(v, Tensor) else torch_functions["tensor"](v, dtype=kind) for v in values]
    found: tuple[Value, ...] = torch_functions["broadcast_tensors"](*tensors)
    return found


def shape_of(parameter: Tensor, *given: Value) -> Shape:
    """The batch shape of a parameter: () where all that was given are numbers."""
    return () if all(isinstance(v, NUMBERS) for v in given) else parameter.shape


def sum_rightmost(value: Value, dim: int) -> Value:
    """The sum over the last `dim` dims."""
    return value if dim == 0 else value.reshape((*value.shape[:-dim], -1)).sum(-1)


def epsilon(tensor: Tensor) -> float:
    """The distance from 1 to the next number of a tensor's dtype."""
    return float(finfo(tensor.dtype).eps)


def clamp_probs(probs: Value) -> Value:
    """Clamp probabilities to [eps, 1 - eps] of their dtype."""
    eps = epsilon(probs)
    return probs.clamp(min=eps, max=1 - eps)


def probs_to_logits(probs: Value, is_binary: bool = False) -> Value:
    """Convert probabilities to finite log probabilities (binary: log odds)."""
    clamped = clamp_probs(probs)
    return clamped.log() - torch_functions["log1p"](-clamped) if is_binary else clamped.log()


def logits_to_probs(logits: Value, is_binary: bool = False) -> Value:
    """The inverse of probs_to_logits; logits of several classes need not be normalized."""
    return logits.sigmoid() if is_binary else functional["softmax"](logits, -1)


def only_given(probs: Value, logits: Value) -> tuple[str, Any]:
    """Return the name and value of the given one of the two; ValueError unless it is exactly one."""
    if (probs is None) == (logits is None):
        raise ValueError("Either `probs` or `logits` must be specified, but not both.")
    return ("logits", logits) if probs is None else ("probs", probs)


class Chance:
    """A parameter given as probabilities or as log odds of success; the other is computed when it is first read."""

    _param: Any

    @lazy_property
    def logits(self) -> Value:
        """The log odds of success."""
        return probs_to_logits(self.probs, is_binary=True)

    @lazy_property
    def probs(self) -> Value:
        """The probability of success."""
        return logits_to_probs(self.logits, is_binary=True)

    @property
    def param_shape(self) -> Size:
        """The shape of the parameter."""
        found: Size = self._param.shape
        return found


def random_like(draw: Callable[..., Any], shape: Shape, like: Tensor) -> Value:
    """Random numbers of a shape in the dtype of a parameter."""
    return draw(tuple(shape), dtype=like.dtype)


def standard_normal(shape: Shape, dtype: Dtype, device: Device = None) -> Value:
    """Normal numbers around 0."""
    return torch_functions["empty"](tuple(shape), dtype=dtype).normal_()


def tril_matrix_to_vec(mat: Value, diag: int = 0) -> Value:
    """The elements on and below a diagonal of square matrices, row by row."""
    n = mat.shape[-1]
    if not -n <= diag < n:
        raise ValueError(f"diag ({diag}) provided is outside [{-n}, {n - 1}].")
    return mat[..., _below(n, diag)]


def vec_to_tril_matrix(vec: Value, diag: int = 0) -> Value:
    """Return square matrices with the elements of vectors on and below a diagonal, row by row."""
    count = vec.shape[-1]
    side = (-(1 + 2 * diag) + ((1 + 2 * diag) ** 2 + 8 * count + 4 * abs(diag) * (diag + 1)) ** 0.5) / 2
    if round(side) - side > epsilon(vec):
        raise ValueError(
            f"The size of last dimension is {count} which cannot be expressed as "
            "the lower triangular part of a square D x D matrix."
        )
    n = round(side)
    mat = vec.new_zeros((*vec.shape[:-1], n, n))
    mat[..., _below(n, diag)] = vec
    return mat


def _below(n: int, diag: int) -> Any:
    arange = torch_functions["arange"](n)
    return arange < arange.view(-1, 1) + (diag + 1)
