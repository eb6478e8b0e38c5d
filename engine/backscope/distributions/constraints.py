"""Constraints on the parameters and samples of distributions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from backscope.ops.core.namespace import linalg, torch_functions
from backscope.runtime.given import Dim, Value, Values
from backscope.tensor.number_limits import finfo


class Constraint:
    """A region of valid values; `event_dim` rightmost dims make up one value."""

    # Any: a bool, or a property in subclasses.
    is_discrete: Any = False
    # Any: an int, or a property in subclasses.
    event_dim: Any = 0

    def check(self, value: Value) -> Value:
        """Return a bool tensor: True for the values in the region."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"{type(self).__name__[1:]}()"


class _Dependent(Constraint):
    """A region that depends on other parameters."""

    def __init__(self, *, is_discrete: Any = NotImplemented, event_dim: Dim = NotImplemented) -> None:
        self._is_discrete = is_discrete
        self._event_dim = event_dim

    @property
    def is_discrete(self) -> Any:
        """True when values are whole numbers; NotImplementedError where the constraint does not define it."""
        if self._is_discrete is NotImplemented:
            raise NotImplementedError(".is_discrete cannot be determined statically")
        return self._is_discrete

    @property
    def event_dim(self) -> Any:
        """The number of dims of one value; NotImplementedError where the constraint does not define it."""
        if self._event_dim is NotImplemented:
            raise NotImplementedError(".event_dim cannot be determined statically")
        return self._event_dim

    def __call__(self, *, is_discrete: Any = NotImplemented, event_dim: Dim = NotImplemented) -> _Dependent:
        return _Dependent(
            is_discrete=self._is_discrete if is_discrete is NotImplemented else is_discrete,
            event_dim=self._event_dim if event_dim is NotImplemented else event_dim,
        )

    def check(self, value: Value) -> Any:
        raise ValueError("Cannot determine validity of dependent constraint")


class _DependentProperty(property, _Dependent):
    """A property with a region that depends on an instance's parameters; on the class it is an unknown region."""

    def __init__(
        self,
        fn: Callable[..., Any] | None = None,
        *,
        is_discrete: Any = NotImplemented,
        event_dim: Dim = NotImplemented,
    ) -> None:
        property.__init__(self, fn)
        self._is_discrete = is_discrete
        self._event_dim = event_dim

    def __call__(self, fn: Callable[..., Any]) -> Any:  # type: ignore[override]
        return _DependentProperty(fn, is_discrete=self._is_discrete, event_dim=self._event_dim)


def is_dependent(constraint: object) -> bool:
    """Return True when a region depends on other parameters."""
    return isinstance(constraint, _Dependent)


class _Bounded(Constraint):
    """A region that is written with its bounds."""

    def __repr__(self) -> str:
        bounds = ", ".join(f"{name}={value}" for name, value in vars(self).items())
        return f"{type(self).__name__[1:]}({bounds})"


class _Above(_Bounded):
    def __init__(self, lower_bound: Value) -> None:
        self.lower_bound = lower_bound


class _Below(_Bounded):
    def __init__(self, upper_bound: Value) -> None:
        self.upper_bound = upper_bound


class _Between(_Bounded):
    def __init__(self, lower_bound: Value, upper_bound: Value) -> None:
        self.lower_bound = lower_bound
        self.upper_bound = upper_bound


class _Real(Constraint):
    def check(self, value: Value) -> Any:
        return value == value


class _Boolean(Constraint):
    is_discrete = True

    def check(self, value: Value) -> Any:
        return (value == 0) | (value == 1)


class _OneHot(Constraint):
    is_discrete = True
    event_dim = 1

    def check(self, value: Value) -> Any:
        return ((value == 0) | (value == 1)).all(-1) & value.sum(-1).eq(1)


class _Simplex(Constraint):
    event_dim = 1

    def check(self, value: Value) -> Any:
        return (value >= 0).all(-1) & ((value.sum(-1) - 1).abs() < 1e-6)


class _Multinomial(Constraint):
    is_discrete = True
    event_dim = 1

    def __init__(self, upper_bound: Value) -> None:
        self.upper_bound = upper_bound

    def check(self, value: Value) -> Any:
        return (value >= 0).all(dim=-1) & (value.sum(dim=-1) <= self.upper_bound)


class _GreaterThan(_Above):
    def check(self, value: Value) -> Any:
        return self.lower_bound < value


class _GreaterThanEq(_Above):
    def check(self, value: Value) -> Any:
        return self.lower_bound <= value


class _LessThan(_Below):
    def check(self, value: Value) -> Any:
        return value < self.upper_bound


class _IntegerGreaterThan(_Above):
    is_discrete = True

    def check(self, value: Value) -> Any:
        return (value % 1 == 0) & (value >= self.lower_bound)


class _Interval(_Between):
    def check(self, value: Value) -> Any:
        return (self.lower_bound <= value) & (value <= self.upper_bound)


class _HalfOpenInterval(_Between):
    def check(self, value: Value) -> Any:
        return (self.lower_bound <= value) & (value < self.upper_bound)


class _IntegerInterval(_Between):
    is_discrete = True

    def check(self, value: Value) -> Any:
        return (value % 1 == 0) & (self.lower_bound <= value) & (value <= self.upper_bound)


class _Matrix(Constraint):
    event_dim = 2


class _LowerTriangular(_Matrix):
    def check(self, value: Value) -> Any:
        return (value.tril() == value).all(-1).all(-1)


class _LowerCholesky(_LowerTriangular):
    def check(self, value: Value) -> Any:
        return super().check(value) & (value.diagonal(dim1=-2, dim2=-1) > 0).all(-1)


class _CorrCholesky(_LowerCholesky):
    def check(self, value: Value) -> Any:
        tolerance = finfo(value.dtype).eps * value.size(-1) * 10
        norms = linalg["norm"](value.detach(), dim=-1)
        return super().check(value) & (norms - 1.0).abs().le(tolerance).all(dim=-1)


class _Square(_Matrix):
    def check(self, value: Value) -> Any:
        square = value.shape[-2] == value.shape[-1]
        return torch_functions["full"](value.shape[:-2], square)


class _Symmetric(_Square):
    def check(self, value: Value) -> Any:
        square = super().check(value)
        if not square.all():
            return square
        return torch_functions["isclose"](value, value.mT, atol=1e-6).all(-2).all(-1)


class _PositiveSemidefinite(_Symmetric):
    def check(self, value: Value) -> Any:
        symmetric = super().check(value)
        return linalg["eigvalsh"](value).ge(0).all(-1) if symmetric.all() else symmetric


class _PositiveDefinite(_Symmetric):
    def check(self, value: Value) -> Any:
        symmetric = super().check(value)
        return linalg["cholesky_ex"](value).info.eq(0) if symmetric.all() else symmetric


def _require(holds: bool, text: str) -> None:
    if not holds:
        raise AssertionError(text)


class _IndependentConstraint(Constraint):
    def __init__(self, base_constraint: Constraint, reinterpreted_batch_ndims: int) -> None:
        kind = type(base_constraint).__name__
        _require(isinstance(base_constraint, Constraint), f"base_constraint must be a Constraint, got {kind}")
        kind = type(reinterpreted_batch_ndims).__name__
        _require(isinstance(reinterpreted_batch_ndims, int), f"reinterpreted_batch_ndims must be an int, got {kind}")
        _require(
            reinterpreted_batch_ndims >= 0, f"reinterpreted_batch_ndims must be >= 0, got {reinterpreted_batch_ndims}"
        )
        self.base_constraint = base_constraint
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    @property
    def is_discrete(self) -> Any:
        """The base's."""
        return self.base_constraint.is_discrete

    @property
    def event_dim(self) -> Any:
        """Dims of one value."""
        return self.base_constraint.event_dim + self.reinterpreted_batch_ndims

    def check(self, value: Value) -> Any:
        result = self.base_constraint.check(value)
        if result.dim() < self.reinterpreted_batch_ndims:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.dim()}")
        for _ in range(self.reinterpreted_batch_ndims):
            result = result.all(-1)
        return result

    def __repr__(self) -> str:
        return f"IndependentConstraint({self.base_constraint!r}, {self.reinterpreted_batch_ndims})"


class MixtureSameFamilyConstraint(Constraint):
    """The region of each component of a mixture."""

    def __init__(self, base_constraint: Constraint) -> None:
        kind = type(base_constraint).__name__
        _require(isinstance(base_constraint, Constraint), f"base_constraint must be a Constraint, got {kind}")
        self.base_constraint = base_constraint

    @property
    def is_discrete(self) -> bool:
        """The base's."""
        found: bool = self.base_constraint.is_discrete
        return found

    @property
    def event_dim(self) -> int:
        """The base's."""
        found: int = self.base_constraint.event_dim
        return found

    def check(self, value: Value) -> Value:
        """Return True for values in the region of every component."""
        result = self.base_constraint.check(value.unsqueeze(-1 - self.event_dim))
        if value.dim() < self.event_dim:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.dim()}")
        return result.reshape((*result.shape[: value.dim() - self.event_dim], -1)).all(-1)

    def __repr__(self) -> str:
        return f"MixtureSameFamilyConstraint({self.base_constraint!r})"


class _Joined(Constraint):
    """Regions of the slices of a value along a dim."""

    def __init__(self, cseq: Value, dim: int) -> None:
        self.cseq = list(cseq)
        _require(all(isinstance(c, Constraint) for c in self.cseq), "All elements of cseq must be Constraint instances")
        self.dim = dim

    @property
    def is_discrete(self) -> Any:
        """True when the constraint of a slice is."""
        return any(c.is_discrete for c in self.cseq)

    @property
    def event_dim(self) -> Any:
        """The most dims of any slice."""
        return max(c.event_dim for c in self.cseq)

    def _check_dim(self, value: Value) -> None:
        inside = -value.dim() <= self.dim < value.dim()
        _require(inside, f"dim {self.dim} out of range for value with {value.dim()} dimensions")


class _Cat(_Joined):
    def __init__(self, cseq: Value, dim: int = 0, lengths: Values = None) -> None:
        super().__init__(cseq, dim)
        self.lengths = [1] * len(self.cseq) if lengths is None else list(lengths)
        count, wanted = len(self.lengths), len(self.cseq)
        _require(count == wanted, f"lengths ({count}) must match cseq ({wanted})")

    def check(self, value: Value) -> Any:
        self._check_dim(value)
        slices = value.split(self.lengths, self.dim)
        return torch_functions["cat"]([c.check(v) for c, v in zip(self.cseq, slices, strict=True)], self.dim)


class _Stack(_Joined):
    def __init__(self, cseq: Value, dim: int = 0) -> None:
        super().__init__(cseq, dim)

    @property
    def event_dim(self) -> Any:
        """The most dims of any slice, with the stacking dim where that is one of them."""
        dims = max(c.event_dim for c in self.cseq)
        return dims + 1 if self.dim + dims < 0 else dims

    def check(self, value: Value) -> Any:
        self._check_dim(value)
        slices = value.unbind(self.dim)
        return torch_functions["stack"]([c.check(v) for v, c in zip(slices, self.cseq, strict=False)], self.dim)


dependent = _Dependent()
dependent_property = _DependentProperty
independent = _IndependentConstraint
boolean = _Boolean()
one_hot = _OneHot()
nonnegative_integer = _IntegerGreaterThan(0)
positive_integer = _IntegerGreaterThan(1)
integer_interval = _IntegerInterval
real = _Real()
real_vector = independent(real, 1)
positive = _GreaterThan(0.0)
nonnegative = _GreaterThanEq(0.0)
greater_than = _GreaterThan
greater_than_eq = _GreaterThanEq
less_than = _LessThan
multinomial = _Multinomial
unit_interval = _Interval(0.0, 1.0)
interval = _Interval
half_open_interval = _HalfOpenInterval
simplex = _Simplex()
lower_triangular = _LowerTriangular()
lower_cholesky = _LowerCholesky()
corr_cholesky = _CorrCholesky()
square = _Square()
symmetric = _Symmetric()
positive_semidefinite = _PositiveSemidefinite()
positive_definite = _PositiveDefinite()
cat = _Cat
stack = _Stack
