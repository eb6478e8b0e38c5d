"""Transform: an invertible function with the logarithm of its Jacobian determinant; its inverse, chains and batches."""

from __future__ import annotations

import functools
import operator
from typing import TYPE_CHECKING, Any

from backscope.distributions import constraints
from backscope.distributions.parameterization import lazy_property, sum_rightmost
from backscope.ops.core.namespace import torch_functions
from backscope.runtime.given import Shape, Value
from backscope.tensor.size import Size

if TYPE_CHECKING:
    from backscope.distributions.constraints import Constraint

FEW = "Too few dimensions on input"


class Transform:
    """y = f(x); subclasses define `_call`, `_inverse` and, where bijective, log_abs_det_jacobian().

    With `cache_size=1` the last pair of x and y is kept, and looked up before anything is computed.
    """

    # Any: a bool, or a property in subclasses.
    bijective: Any = False
    # Any: a constraint, or a property of subclasses that computes one.
    domain: Any
    # Any: a constraint, or a property of subclasses that computes one.
    codomain: Any

    def __init__(self, cache_size: int = 0) -> None:
        self._cache_size = cache_size
        self._inv: Any = None
        if cache_size not in (0, 1):
            raise ValueError("cache_size must be 0 or 1")
        self._cached_x_y: Any = (None, None)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_inv": None}

    @property
    def event_dim(self) -> int:
        """The dims of one value, where they are the same on both sides."""
        if self.domain.event_dim == self.codomain.event_dim:
            found: int = self.domain.event_dim
            return found
        raise ValueError("Please use either .domain.event_dim or .codomain.event_dim")

    @property
    def inv(self) -> Transform:
        """The inverse; its own inverse is this transform."""
        if self._inv is None:
            self._inv = _InverseTransform(self)
        found: Transform = self._inv
        return found

    @property
    def sign(self) -> Value:
        """1 where it rises, -1 where it falls."""
        raise NotImplementedError

    def with_cache(self, cache_size: int = 1) -> Transform:
        """This transform with a cache of this size."""
        if self._cache_size == cache_size:
            return self
        if type(self).__init__ is Transform.__init__:
            return type(self)(cache_size=cache_size)
        raise NotImplementedError(f"{type(self)}.with_cache is not implemented")

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = None  # type: ignore[assignment]

    def __call__(self, x: Value) -> Value:
        if self._cache_size == 0:
            return self._call(x)
        known, found = self._cached_x_y
        if x is not known or known is None:
            found = self._call(x)
            self._cached_x_y = x, found
        return found

    def _inv_call(self, y: Value) -> Any:
        if self._cache_size == 0:
            return self._inverse(y)
        found, known = self._cached_x_y
        if y is not known or known is None:
            found = self._inverse(y)
            self._cached_x_y = found, y
        return found

    def _call(self, x: Value) -> Any:
        raise NotImplementedError

    def _inverse(self, y: Value) -> Any:
        raise NotImplementedError

    def log_abs_det_jacobian(self, x: Value, y: Value) -> Value:
        """log |dy/dx|."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def forward_shape(self, shape: Shape) -> Shape:
        """The shape of y by that of x."""
        return shape

    def inverse_shape(self, shape: Shape) -> Shape:
        """The shape of x by that of y."""
        return shape


class _InverseTransform(Transform):
    def __init__(self, transform: Transform) -> None:
        super().__init__(cache_size=transform._cache_size)
        self._inv = transform

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Any:
        return self._inv.codomain

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> Any:
        return self._inv.domain

    @property
    def bijective(self) -> Any:
        return self._inv.bijective

    @property
    def sign(self) -> Any:
        return self._inv.sign

    @property
    def inv(self) -> Any:
        return self._inv

    def with_cache(self, cache_size: int = 1) -> Any:
        return self._inv.with_cache(cache_size).inv

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _InverseTransform) and self._inv == other._inv

    __hash__ = None

    def __repr__(self) -> str:
        return f"_InverseTransform({self._inv!r})"

    def __call__(self, x: Value) -> Any:
        return self._inv._inv_call(x)

    def log_abs_det_jacobian(self, x: Value, y: Value) -> Any:
        return -self._inv.log_abs_det_jacobian(y, x)

    def forward_shape(self, shape: Shape) -> Any:
        return self._inv.inverse_shape(shape)

    def inverse_shape(self, shape: Shape) -> Any:
        return self._inv.forward_shape(shape)


class ComposeTransform(Transform):
    """A chain of transforms, the first applied first."""

    def __init__(self, parts: list[Transform], cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.parts = [part.with_cache(cache_size) for part in parts] if cache_size else parts

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ComposeTransform) and self.parts == other.parts

    __hash__ = None

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Constraint:
        """The domain of the first part, over as many dims as all parts need."""
        if not self.parts:
            return constraints.real
        dims = self.parts[-1].codomain.event_dim
        for part in reversed(self.parts):
            dims = max(dims + part.domain.event_dim - part.codomain.event_dim, part.domain.event_dim)
        found: Constraint = _over(self.parts[0].domain, dims)
        return found

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> Constraint:
        """The codomain of the last part, over as many dims as all parts need."""
        if not self.parts:
            return constraints.real
        dims = self.parts[0].domain.event_dim
        for part in self.parts:
            dims = max(dims + part.codomain.event_dim - part.domain.event_dim, part.codomain.event_dim)
        found: Constraint = _over(self.parts[-1].codomain, dims)
        return found

    @lazy_property
    def bijective(self) -> bool:
        """True when all parts are bijective."""
        return all(p.bijective for p in self.parts)

    @lazy_property
    def sign(self) -> Value:
        """The product of the signs of the parts."""
        return functools.reduce(operator.mul, [p.sign for p in self.parts], 1)

    @property
    def inv(self) -> Transform:
        """The inverses of the parts, the last first."""
        if self._inv is None:
            self._inv = ComposeTransform([p.inv for p in reversed(self.parts)])
            self._inv._inv = self
        found: Transform = self._inv
        return found

    def with_cache(self, cache_size: int = 1) -> Transform:
        """This transform with a cache in each part."""
        return self if self._cache_size == cache_size else ComposeTransform(self.parts, cache_size=cache_size)

    def __call__(self, x: Value) -> Value:
        for part in self.parts:
            x = part(x)
        return x

    def log_abs_det_jacobian(self, x: Value, y: Value) -> Value:
        """The sum over the parts, each over the dims of one value."""
        if not self.parts:
            return torch_functions["zeros_like"](x)
        values = [x]
        for part in self.parts[:-1]:
            values.append(part(values[-1]))
        values.append(y)
        terms = []
        dims = self.domain.event_dim
        for part, before, after in zip(self.parts, values[:-1], values[1:], strict=True):
            terms.append(sum_rightmost(part.log_abs_det_jacobian(before, after), dims - part.domain.event_dim))
            dims += part.codomain.event_dim - part.domain.event_dim
        return functools.reduce(operator.add, terms)

    def forward_shape(self, shape: Shape) -> Shape:
        """The shape of y by that of x."""
        for part in self.parts:
            shape = part.forward_shape(shape)
        return shape

    def inverse_shape(self, shape: Shape) -> Shape:
        """The shape of x by that of y."""
        for part in reversed(self.parts):
            shape = part.inverse_shape(shape)
        return shape

    def __repr__(self) -> str:
        inner = ",\n    ".join(repr(p) for p in self.parts)
        return f"ComposeTransform(\n    {inner}\n)"


def _over(region: Value, dims: int) -> Any:
    return constraints.independent(region, dims - region.event_dim) if dims > region.event_dim else region


class IndependentTransform(Transform):
    """A transform with its last `reinterpreted_batch_ndims` batch dims as dims of one value."""

    def __init__(self, base_transform: Transform, reinterpreted_batch_ndims: int, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.base_transform = base_transform.with_cache(cache_size)
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    def with_cache(self, cache_size: int = 1) -> Transform:
        """This transform with a cache of this size."""
        if self._cache_size == cache_size:
            return self
        return IndependentTransform(self.base_transform, self.reinterpreted_batch_ndims, cache_size=cache_size)

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Constraint:
        """The base's over more dims."""
        return constraints.independent(self.base_transform.domain, self.reinterpreted_batch_ndims)

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> Constraint:
        """The base's over more dims."""
        return constraints.independent(self.base_transform.codomain, self.reinterpreted_batch_ndims)

    @property
    def bijective(self) -> bool:
        """True when the base is bijective."""
        found: bool = self.base_transform.bijective
        return found

    @property
    def sign(self) -> Value:
        """The base's."""
        return self.base_transform.sign

    def _call(self, x: Value) -> Any:
        if x.dim() < self.domain.event_dim:
            raise ValueError(FEW)
        return self.base_transform(x)

    def _inverse(self, y: Value) -> Any:
        if y.dim() < self.codomain.event_dim:
            raise ValueError(FEW)
        return self.base_transform.inv(y)

    def log_abs_det_jacobian(self, x: Value, y: Value) -> Value:
        """The base's, summed over the dims of one value."""
        return sum_rightmost(self.base_transform.log_abs_det_jacobian(x, y), self.reinterpreted_batch_ndims)

    def __repr__(self) -> str:
        return f"IndependentTransform({self.base_transform!r}, {self.reinterpreted_batch_ndims})"

    def forward_shape(self, shape: Shape) -> Shape:
        """The base's."""
        return self.base_transform.forward_shape(shape)

    def inverse_shape(self, shape: Shape) -> Shape:
        """The base's."""
        return self.base_transform.inverse_shape(shape)


class ReshapeTransform(Transform):
    """Values of `in_shape` as values of `out_shape`."""

    bijective = True

    def __init__(self, in_shape: Shape, out_shape: Shape, cache_size: int = 0) -> None:
        self.in_shape, self.out_shape = Size(in_shape), Size(out_shape)
        if self.in_shape.numel() != self.out_shape.numel():
            raise ValueError("in_shape, out_shape have different numbers of elements")
        super().__init__(cache_size=cache_size)

    @constraints.dependent_property
    def domain(self) -> Constraint:
        """Real numbers in the first shape."""
        return constraints.independent(constraints.real, len(self.in_shape))

    @constraints.dependent_property
    def codomain(self) -> Constraint:
        """Real numbers in the second shape."""
        return constraints.independent(constraints.real, len(self.out_shape))

    def with_cache(self, cache_size: int = 1) -> Transform:
        """This transform with a cache of this size."""
        if self._cache_size == cache_size:
            return self
        return ReshapeTransform(self.in_shape, self.out_shape, cache_size=cache_size)

    def _call(self, x: Value) -> Any:
        return x.reshape(x.shape[: x.dim() - len(self.in_shape)] + self.out_shape)

    def _inverse(self, y: Value) -> Any:
        return y.reshape(y.shape[: y.dim() - len(self.out_shape)] + self.in_shape)

    def log_abs_det_jacobian(self, x: Value, y: Value) -> Value:
        """0."""
        return x.new_zeros(x.shape[: x.dim() - len(self.in_shape)])

    def forward_shape(self, shape: Shape) -> Shape:
        """The shape of y by that of x."""
        return _exchanged(shape, self.in_shape, self.out_shape)

    def inverse_shape(self, shape: Shape) -> Shape:
        """The shape of x by that of y."""
        return _exchanged(shape, self.out_shape, self.in_shape)


def _exchanged(shape: Shape, end: Value, other: Value) -> Any:
    if len(shape) < len(end):
        raise ValueError(FEW)
    cut = len(shape) - len(end)
    if shape[cut:] != end:
        raise ValueError(f"Shape mismatch: expected {shape[cut:]} but got {end}")
    return shape[:cut] + other


identity_transform = ComposeTransform([])
