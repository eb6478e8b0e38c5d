"""Distribution: shapes of batches and events, and checks of parameters and samples."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any, ClassVar

from backscope.autograd.backward_and_grad import grad
from backscope.autograd.modes.grad_mode import no_grad
from backscope.distributions.constraints import Constraint, is_dependent, positive, real
from backscope.distributions.parameterization import broadcast_all, shape_of
from backscope.runtime.given import Shape, Value
from backscope.runtime.process import process_wide
from backscope.runtime.warning import warn
from backscope.tensor.size import Size
from backscope.tensor.tensor import Tensor

_MODULES = {
    "ExpRelaxedCategorical": "relaxed_categorical",
    "ExponentialFamily": "exp_family",
    "FisherSnedecor": "fishersnedecor",
    "LogitRelaxedBernoulli": "relaxed_bernoulli",
    "LowRankMultivariateNormal": "lowrank_multivariate_normal",
    "OneHotCategoricalStraightThrough": "one_hot_categorical",
    "RelaxedOneHotCategorical": "relaxed_categorical",
    "StudentT": "studentT",
}
"""The modules of PyTorch's classes that are not in a module of their own name."""


class _Undefined:
    """A member that subclasses have to define."""

    def __get__(self, instance: Any, owner: Any) -> Any:
        raise NotImplementedError


class Distribution:
    """A batch of distributions: `batch_shape` of them, each giving values of `event_shape`."""

    has_rsample = False
    has_enumerate_support = False
    arg_constraints: ClassVar[Any] = _Undefined()
    # Any: a constraint, or a property of subclasses that computes one.
    support: Any = _Undefined()
    _validate_args = __debug__

    def __init_subclass__(cls) -> None:
        if cls.__module__.startswith("backscope."):
            name = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=LKJ)", "_", cls.__name__).lower()
            cls.__module__ = "torch.distributions." + _MODULES.get(cls.__name__, name)

    def __init__(self, batch_shape: Shape = (), event_shape: Shape = (), validate_args: bool | None = None) -> None:
        self._batch_shape = Size(batch_shape)
        self._event_shape = Size(event_shape)
        if validate_args is not None:
            self._validate_args = validate_args
        if not self._validate_args:
            return
        for name, constraint in self._constraints().items():
            lazy = isinstance(getattr(type(self), name, None), cached_property)
            if is_dependent(constraint) or (name not in self.__dict__ and lazy):
                continue  # A lazy property is computed when it is read: it is not checked here.
            value = getattr(self, name)
            if not constraint.check(value).all().item():
                raise ValueError(
                    f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of distribution "
                    f"{self!r} to satisfy the constraint {constraint!r}, but found invalid values:\n{value}"
                )

    def _constraints(self) -> dict[str, Any]:
        try:
            return self.arg_constraints  # type: ignore[no-any-return]
        except NotImplementedError:
            warn(
                f"{type(self)} does not define `arg_constraints`. Please set `arg_constraints = {{}}` or initialize "
                "the distribution with `validate_args=False` to turn off validation."
            )
            return {}

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
    def mean(self) -> Value:
        """The mean."""
        raise NotImplementedError

    @property
    def mode(self) -> Value:
        """The most likely value."""
        raise NotImplementedError(f"{type(self)} does not implement mode")

    @property
    def variance(self) -> Value:
        """The variance."""
        raise NotImplementedError

    @property
    def stddev(self) -> Value:
        """The standard deviation."""
        return self.variance.sqrt()

    def sample(self, sample_shape: Shape = ()) -> Value:
        """Values of shape sample_shape + batch_shape + event_shape, off the tape."""
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Shape = ()) -> Value:
        """Draw values; gradients flow to the parameters."""
        raise NotImplementedError

    def sample_n(self, n: int) -> Value:
        """`n` values or batches of values; deprecated."""
        warn("`sample_n(n)` will be deprecated. Use `sample((n,))` instead.", FutureWarning)
        return self.sample((n,))

    def log_prob(self, value: Value) -> Value:
        """The logarithm of the density or probability at `value`."""
        raise NotImplementedError

    def cdf(self, value: Value) -> Value:
        """The probability of at most `value`."""
        raise NotImplementedError

    def icdf(self, value: Value) -> Value:
        """The value that is not exceeded with probability `value`."""
        raise NotImplementedError

    def entropy(self) -> Value:
        """The entropy in nats."""
        raise NotImplementedError

    def perplexity(self) -> Value:
        """exp of the entropy."""
        return self.entropy().exp()

    def enumerate_support(self, expand: bool = True) -> Value:
        """Return all values of a discrete distribution along a new first dim."""
        raise NotImplementedError

    # Any: a distribution of the class that is expanded, with its own attributes.
    def expand(self, batch_shape: Shape, _instance: Distribution | None = None) -> Any:
        """This distribution with its batch dims expanded to `batch_shape`."""
        made: Any = self._blank() if _instance is None else _instance
        shape, dims = Size(batch_shape), len(self._batch_shape)
        for name, value in self.__dict__.items():
            if name in self.arg_constraints:
                made.__dict__[name] = value.expand(shape + tuple(value.shape[dims:]))
            elif isinstance(value, Distribution):
                made.__dict__[name] = value.expand(shape + tuple(value.batch_shape[dims:]))
            elif not isinstance(getattr(type(self), name, None), cached_property):
                made.__dict__[name] = value
        if "_param" in self.__dict__:
            given = "probs" if self.__dict__["_param"] is self.__dict__.get("probs") else "logits"
            made._param = made.__dict__[given]
        Distribution.__init__(made, shape, self._event_shape, validate_args=False)
        made._validate_args = self._validate_args
        return made

    def _blank(self) -> Any:
        """Return an uninitialized instance; NotImplementedError for subclasses with an __init__() of their own."""
        own = next(k for k in type(self).__mro__ if k.__module__.startswith(("torch.", "backscope.")))
        if own is Distribution:
            raise NotImplementedError
        return self._get_checked_instance(own)

    def _get_checked_instance(self, cls: Any, _instance: Any = None) -> Any:
        if _instance is None and type(self).__init__ is not cls.__init__:
            raise NotImplementedError(
                f"Subclass {type(self).__name__} of {cls.__name__} that defines a custom __init__ method must also "
                "define a custom .expand() method."
            )
        return object.__new__(type(self)) if _instance is None else _instance

    def _extended_shape(self, sample_shape: Shape = ()) -> Size:
        return Size((*sample_shape, *self._batch_shape, *self._event_shape))

    def _validate_sample(self, value: Value) -> None:
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
        try:
            support = self.support
        except NotImplementedError:
            warn(
                f"{type(self)} does not define `support` to enable sample validation. Please initialize the "
                "distribution with `validate_args=False` to turn off validation."
            )
            return
        if not support.check(value).all().item():
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) to be within the "
                f"support ({support!r}) of the distribution {self!r}, but found invalid values:\n{value}"
            )

    def __repr__(self) -> str:
        shown = [
            f"{name}: {value if value.numel() == 1 else value.size()}"
            for name in self.arg_constraints
            if (value := self.__dict__.get(name)) is not None
        ]
        return f"{type(self).__name__}({', '.join(shown)})"


class Centered(Distribution):
    """A distribution that is the same on both sides of `loc`."""

    loc: Value

    @property
    def mean(self) -> Value:
        """loc."""
        return self.loc

    @property
    def mode(self) -> Value:
        """loc."""
        return self.loc


class Located(Centered):
    """A distribution of real numbers around `loc`, with a `scale`."""

    arg_constraints: ClassVar[dict[str, Constraint]] = {"loc": real, "scale": positive}
    support: Constraint = real
    has_rsample = True

    def __init__(self, loc: Value, scale: Value, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(shape_of(self.loc, loc, scale), validate_args=validate_args)


class ExponentialFamily(Distribution):
    """A distribution with a log density that is linear in natural parameters apart from a normalizer."""

    _natural_params: Any = _Undefined()
    _mean_carrier_measure: Any = _Undefined()

    def _log_normalizer(self, *natural_params: Any) -> Any:
        raise NotImplementedError

    def entropy(self) -> Value:
        """The entropy, from the gradient of the normalizer by the natural parameters."""
        result = -self._mean_carrier_measure
        natural = [p.detach().requires_grad_() for p in self._natural_params]
        normalizer = self._log_normalizer(*natural)
        slopes: Any = grad(normalizer.sum(), natural, create_graph=True)
        result += normalizer
        for parameter, slope in zip(natural, slopes, strict=True):
            result -= (parameter * slope).reshape((*self._batch_shape, -1)).sum(-1)
        return result


process_wide(Distribution, "_validate_args")
