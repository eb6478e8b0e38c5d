"""Distribution: shapes of batches and events, checks of parameters and samples, and how parameters are combined."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import ml_dtypes

from backscope.autograd.grad_mode import no_grad
from backscope.distributions.constraints import Constraint, positive, real
from backscope.dtype import default
from backscope.ops.namespace import functional, torch_functions
from backscope.process import process_wide
from backscope.size import Size
from backscope.tensor import Tensor

NUMBERS = (int, float, complex, bool)


class Distribution:
    """A batch of distributions: `batch_shape` of them, each giving values of `event_shape`."""

    has_rsample = False
    has_enumerate_support = False
    arg_constraints: ClassVar[dict[str, Constraint]] = {}
    support: Any
    _validate_args = __debug__

    def __init__(self, batch_shape: Any = (), event_shape: Any = (), validate_args: bool | None = None) -> None:
        self._batch_shape = Size(batch_shape)
        self._event_shape = Size(event_shape)
        if validate_args is not None:
            self._validate_args = validate_args
        if not self._validate_args:
            return
        for name, constraint in self.arg_constraints.items():
            value = self.__dict__.get(name)  # What is computed when it is read has nothing to check yet.
            if value is not None and not constraint.check(value).all().item():
                raise ValueError(
                    f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of distribution "
                    f"{self!r} to satisfy the constraint {constraint!r}, but found invalid values:\n{value}"
                )

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Check parameters and samples of all distributions, or of none."""
        if value not in (True, False):
            raise ValueError
        Distribution._validate_args = value

    @property
    def batch_shape(self) -> Size:
        """The shape over which parameters are batched."""
        return self._batch_shape

    @property
    def event_shape(self) -> Size:
        """The shape of one value."""
        return self._event_shape

    @property
    def mean(self) -> Any:
        """The mean."""
        raise NotImplementedError

    @property
    def mode(self) -> Any:
        """The most likely value."""
        raise NotImplementedError(f"{type(self)} does not implement mode")

    @property
    def variance(self) -> Any:
        """The variance."""
        raise NotImplementedError

    @property
    def stddev(self) -> Any:
        """The standard deviation."""
        return self.variance.sqrt()

    def sample(self, sample_shape: Any = ()) -> Any:
        """Values of shape sample_shape + batch_shape + event_shape, off the tape."""
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Any:
        """Values through which gradients flow to the parameters."""
        raise NotImplementedError

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the density or probability at `value`."""
        raise NotImplementedError

    def cdf(self, value: Any) -> Any:
        """The probability of at most `value`."""
        raise NotImplementedError

    def icdf(self, value: Any) -> Any:
        """The value that is not exceeded with probability `value`."""
        raise NotImplementedError

    def entropy(self) -> Any:
        """The entropy in nats."""
        raise NotImplementedError

    def perplexity(self) -> Any:
        """exp of the entropy."""
        return self.entropy().exp()

    def enumerate_support(self, expand: bool = True) -> Any:
        """All values of a discrete distribution along a new first dim."""
        raise NotImplementedError

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """The same distribution with its batch dims expanded to `batch_shape`."""
        made = type(self).__new__(type(self))
        shape = Size(batch_shape)
        for name in self.arg_constraints:
            value = self.__dict__.get(name)
            if value is not None:
                own = value.shape[len(self._batch_shape) :]
                made.__dict__[name] = value.expand(shape + tuple(own))
        Distribution.__init__(made, shape, self._event_shape, validate_args=False)
        made._validate_args = self._validate_args
        return made

    def _extended_shape(self, sample_shape: Any = ()) -> Size:
        return Size((*sample_shape, *self._batch_shape, *self._event_shape))

    def _validate_sample(self, value: Any) -> None:
        if not isinstance(value, Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        start = len(value.shape) - len(self._event_shape)
        if value.shape[start:] != self._event_shape:
            raise ValueError(
                f"The right-most size of value must match event_shape: {value.shape} vs {self._event_shape}."
            )
        expected = self._batch_shape + self._event_shape
        for i, j in zip(reversed(value.shape), reversed(expected), strict=False):
            if i != 1 and j != 1 and i != j:
                raise ValueError(
                    f"Value is not broadcastable with batch_shape+event_shape: {value.shape} vs {expected}."
                )
        if not self.support.check(value).all().item():
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) to be within the "
                f"support ({self.support!r}) of the distribution {self!r}, but found invalid values:\n{value}"
            )

    def __repr__(self) -> str:
        shown = [
            f"{name}: {value if value.numel() == 1 else value.size()}"
            for name in self.arg_constraints
            if (value := self.__dict__.get(name)) is not None
        ]
        return f"{type(self).__name__}({', '.join(shown)})"


class Located(Distribution):
    """A distribution of real numbers around `loc`, with a `scale`."""

    arg_constraints: ClassVar[dict[str, Constraint]] = {"loc": real, "scale": positive}
    support: Any = real
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(shape_of(self.loc, loc, scale), validate_args=validate_args)

    @property
    def mean(self) -> Any:
        """loc."""
        return self.loc

    @property
    def mode(self) -> Any:
        """loc."""
        return self.loc


def broadcast_all(*values: Any) -> Any:
    """Tensors and numbers as tensors of one shape; numbers take the dtype of the first tensor."""
    if not all(isinstance(v, (Tensor, *NUMBERS)) for v in values):
        raise ValueError(
            "Input arguments must all be instances of Number, torch.Tensor or objects implementing __torch_function__."
        )
    kind = next((v.dtype for v in values if isinstance(v, Tensor)), default.floating)
    tensors = [v if isinstance(v, Tensor) else torch_functions["tensor"](v, dtype=kind) for v in values]
    return torch_functions["broadcast_tensors"](*tensors)


def shape_of(parameter: Tensor, *given: Any) -> Any:
    """The batch shape of a parameter: () where all that was given are numbers."""
    return () if all(isinstance(v, NUMBERS) for v in given) else parameter.shape


def sum_rightmost(value: Any, dims: int) -> Any:
    """The sum over the last `dims` dims."""
    return value if dims == 0 else value.reshape((*value.shape[:-dims], -1)).sum(-1)


def epsilon(tensor: Tensor) -> float:
    """The distance from 1 to the next number of a tensor's dtype."""
    return float(ml_dtypes.finfo(tensor.dtype.np).eps)  # type: ignore[no-untyped-call]


def probs_to_logits(probs: Any, *, binary: bool = False) -> Any:
    """Probabilities as log probabilities (binary: log odds), kept finite."""
    eps = epsilon(probs)
    clamped = probs.clamp(min=eps, max=1 - eps)
    return clamped.log() - torch_functions["log1p"](-clamped) if binary else clamped.log()


def logits_to_probs(logits: Any, *, binary: bool = False) -> Any:
    """The inverse of probs_to_logits; logits of several classes need not be normalized."""
    return logits.sigmoid() if binary else functional["softmax"](logits, -1)


def random_like(draw: Callable[..., Any], shape: Any, like: Tensor) -> Any:
    """Random numbers of a shape in the dtype of a parameter."""
    return draw(tuple(shape), dtype=like.dtype)


process_wide(Distribution, "_validate_args")
