"""Reductions: sums, means, products, extremes, norms, variances, cumulative sums."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from backscope import dtype as types
from backscope.dtype import LOW_PRECISION, cast, dtype
from backscope.ops.declaration import A, V, op, xp
from backscope.ops.dispatch import apply
from backscope.ops.namespace import export
from backscope.ops.shape import wrap_dim
from backscope.tensor import Tensor, make

Dims = tuple[int, ...]


def wrap_dims(dim: Any, ndim: int) -> Dims:
    """`dim` as a tuple counted from the front; all dims for None or ()."""
    if dim is None or (not isinstance(dim, int) and len(dim) == 0):
        return tuple(range(ndim))
    given = (dim,) if isinstance(dim, int) else tuple(dim)
    wrapped = tuple(wrap_dim(d, ndim) for d in given)
    if len(set(wrapped)) != len(wrapped):
        repeated = next(d for d in wrapped if wrapped.count(d) > 1)
        raise RuntimeError(f"dim {repeated} appears multiple times in the list of dims")
    return wrapped if ndim else ()


def _axes(dim: Any, ndim: int) -> Any:
    return wrap_dims(dim, ndim)


def restore(g: V, shape: Any, dim: Any, keepdim: bool) -> V:
    """A reduced gradient with its dims of length 1 back in place, ready to broadcast to `shape`."""
    if keepdim or not shape:
        return g
    dims = wrap_dims(dim, len(shape))
    return xp.reshape(g, tuple([1 if i in dims else n for i, n in enumerate(shape)]))


def accurate_sum(value: A, axis: Any = None, keepdims: bool = False) -> A:
    """Sum with low precision types accumulated in float32."""
    if value.dtype == types.float16.np or value.dtype == types.bfloat16.np:
        return cast(np.sum(np.asarray(value, np.float32), axis=axis, keepdims=keepdims), dtype.table[value.dtype])
    return np.sum(value, axis=axis, keepdims=keepdims)


@op(symbol="sum", grad_fn="SumBackward0", latex={"self": r"g \cdot \mathbf{1}"}, summary={"self": "spreads the incoming {g} over all {self_numel} elements"})
class sum_all:
    """The sum of all elements."""

    def forward(self: A) -> A:
        return accurate_sum(self)

    def grad_self(g: V, self_shape: V) -> V:
        return xp.expand(g, self_shape)


@op(symbol="sum", grad_fn="SumBackward1", name="sum", latex={"self": r"g \cdot \mathbf{1}"}, summary={"self": "spreads the incoming gradient over dim {dim} again"})
class sum_dim:
    """The sum along dims."""

    def forward(self: A, dim: Any, keepdim: bool = False) -> A:
        return accurate_sum(self, _axes(dim, self.ndim), keepdim)

    def grad_self(g: V, self_shape: V, dim: V, keepdim: V) -> V:
        return xp.expand(restore(g, self_shape, dim, keepdim), self_shape)


@op(symbol="mean", grad_fn="MeanBackward0", latex={"self": r"\frac{g}{n}"}, summary={"self": "spreads the incoming {g} over all {self_numel} elements, divided by {self_numel}"})
class mean_all:
    """The mean of all elements."""

    def forward(self: A) -> A:
        total = accurate_sum(self)
        return cast(np.asarray(total / np.asarray(self.size).astype(total.dtype)), dtype.table[self.dtype])[()]

    def grad_self(g: V, self_shape: V) -> V:
        return xp.expand(g, self_shape) / _count(self_shape, range(len(self_shape)))


@op(symbol="mean", grad_fn="MeanBackward1", latex={"self": r"\frac{g}{n}"}, summary={"self": "spreads the incoming gradient over dim {dim} again, divided by its length"})
class mean_dim:
    """The mean along dims."""

    def forward(self: A, dim: Any, keepdim: bool = False) -> A:
        total = accurate_sum(self, _axes(dim, self.ndim), keepdim)
        return cast(np.asarray(total / np.asarray(_count(self.shape, _axes(dim, self.ndim))).astype(total.dtype)), dtype.table[self.dtype])[()]

    def grad_self(g: V, self_shape: V, dim: V, keepdim: V) -> V:
        return xp.expand(restore(g, self_shape, dim, keepdim), self_shape) / _count(self_shape, wrap_dims(dim, len(self_shape)))


def _count(shape: Any, dims: Any) -> int:
    n = 1
    for d in dims:
        n *= shape[d]
    return n


@op(symbol="prod", grad_fn="ProdBackward0", latex={"self": r"g \cdot \frac{\text{result}}{\text{self}}"}, summary={"self": "multiplies the incoming {g} by the product of the other elements"})
class prod_all:
    """The product of all elements."""

    def forward(self: A) -> A:
        return np.prod(self, dtype=self.dtype)

    def grad_self(g: V, self: V, self_shape: V) -> V:
        flat = xp.reshape(self, (-1,))
        return xp.reshape(g * xp.product_of_others(flat, 0), self_shape)


@op(symbol="prod", grad_fn="ProdBackward1", latex={"self": r"g \cdot \frac{\text{result}}{\text{self}}"}, summary={"self": "multiplies the incoming gradient by the product of the other elements of dim {dim}"})
class prod_dim:
    """The product along a dim."""

    def forward(self: A, dim: int, keepdim: bool = False) -> A:
        return np.prod(self, axis=dim if self.ndim else None, keepdims=keepdim, dtype=self.dtype)

    def grad_self(g: V, self: V, self_shape: V, dim: V, keepdim: V) -> V:
        return restore(g, self_shape, dim, keepdim) * xp.product_of_others(self, dim)


def _product_of_others(value: V, dim: int) -> V:
    """For each element the product of all others along `dim`; exact where elements are zero."""
    shape = value.shape
    n = shape[dim] if len(shape) else 1
    if n <= 1:
        return xp.ones_like(value)
    before = xp.cumprod_exclusive(value, dim)
    after = xp.flip(xp.cumprod_exclusive(xp.flip(value, (dim,)), dim), (dim,))
    return before * after


def _cumprod_exclusive(value: V, dim: int) -> V:
    parts = [xp.ones_like(xp.narrow(value, dim, 0, 1))]
    for i in range(value.shape[dim] - 1):
        parts.append(parts[-1] * xp.narrow(value, dim, i, 1))
    return xp.cat(parts, dim % len(value.shape))


xp.product_of_others = _product_of_others
xp.cumprod_exclusive = _cumprod_exclusive


@op(symbol="cumsum", latex={"self": r"\textstyle\sum_{j \ge i} g_j"}, summary={"self": "sums the incoming gradient from each place to the end of dim {dim}"})
class cumsum:
    """Running sums along a dim."""

    def forward(self: A, dim: int) -> A:
        return np.cumsum(self, axis=dim if self.ndim else None, dtype=self.dtype).reshape(self.shape)[()]

    def grad_self(g: V, dim: V) -> V:
        if not len(g.shape):
            return g
        d = dim % len(g.shape)
        return xp.flip(xp.cumsum(xp.flip(g, (d,)), d), (d,))


def _extreme(name: str, symbol: str, whole: Any, at: Any) -> None:
    def forward_all(self: A) -> A:
        return whole(self)

    def spread(g: V, self: V, result: V) -> V:
        mask = (self == result) if not _is_nan(result) else xp.isnan(self)
        return mask * (g / xp.sum(mask, None))

    def forward_dim(self: A, dim: int, keepdim: bool = False) -> A:
        if not self.ndim:
            return self, np.int64(0)
        values, indices = whole(self, axis=dim, keepdims=keepdim), at(self, axis=dim, keepdims=keepdim)
        return values, indices

    def pick(g: V, result1: V, self_shape: V, dim: V, keepdim: V) -> V:
        if not len(self_shape):
            return g
        g, index = (g, result1) if keepdim else (xp.unsqueeze(g, dim), xp.unsqueeze(result1, dim))
        return xp.place_along(g, index, self_shape, dim)

    def spread_dims(g: V, self: V, result: V, self_shape: V, dim: V, keepdim: V) -> V:
        mask = self == restore(result, self_shape, dim, keepdim)
        return mask * (restore(g, self_shape, dim, keepdim) / xp.sum(mask, dim, True))

    def forward_a(self: A, dim: Any, keepdim: bool = False) -> A:
        return whole(self, axis=_axes(dim, self.ndim), keepdims=keepdim)

    for f, annotations in ((forward_all, {}), (forward_dim, {"dim": "int", "keepdim": "bool"}), (forward_a, {"dim": "Any", "keepdim": "bool"})):
        f.__annotations__ = {"self": "A", **annotations}
    word = "largest" if name == "max" else "smallest"
    title = name.capitalize()
    op(symbol=symbol, name=name + "_all", grad_fn=title + "Backward1", latex={"self": r"\frac{g}{k}\,[\text{self} = \text{result}]"},
       summary={"self": "sends the incoming {g} to the " + word + " element, split evenly at ties"})(type(name, (), {"forward": forward_all, "grad_self": spread}))  # fmt: skip
    op(symbol=symbol, name=name + "_dim", grad_fn=title + "Backward0", outputs=2, differentiable=1, latex={"self": r"g\ \text{at the index}"},
       summary={"self": "sends the incoming gradient to the place of the " + word + " element along dim {dim}"})(type(name, (), {"forward": forward_dim, "grad_self": pick}))  # fmt: skip
    op(symbol="a" + symbol, name="a" + name, grad_fn="A" + name + "Backward0", latex={"self": r"\frac{g}{k}\,[\text{self} = \text{result}]"},
       summary={"self": "sends the incoming gradient to the " + word + " elements, split evenly at ties"})(type(name, (), {"forward": forward_a, "grad_self": spread_dims}))  # fmt: skip


def _is_nan(value: V) -> bool:
    raw = value._data if isinstance(value, Tensor) else value
    return bool(raw != raw)


_extreme("max", "max", np.max, np.argmax)
_extreme("min", "min", np.min, np.argmin)


class _Pair(NamedTuple):
    values: Any
    indices: Any


def _named(name: str) -> Any:
    made = type(name, (_Pair,), {"__module__": "torch.return_types", "__repr__": lambda self: f"torch.return_types.{name}(\nvalues={self.values!r},\nindices={self.indices!r})"})
    return made


def _publish_extreme(name: str, pair: Any, whole: Any, along: Any, between: Any) -> None:
    def extreme(input: Tensor, dim: Any = None, keepdim: bool = False, *, out: Any = None, other: Any = None) -> Any:  # noqa: A002
        if isinstance(dim, Tensor) or other is not None:
            return between.call(input, dim if other is None else other)
        if dim is None:
            if not input._data.size:
                raise RuntimeError(f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' argument.")
            return apply(whole, input)
        wrap_dim(dim, input._data.ndim)
        values, indices = apply(along, input, dim, bool(keepdim))
        return pair(values, indices)

    extreme.__name__ = name
    extreme.__doc__ = f"The {name} of all elements, along `dim` (values and indices), or of two tensors."
    export(name)(extreme)


def _publish() -> None:
    from backscope.ops.declaration import primitives as p

    _publish_extreme("max", _named("max"), p["max_all"], p["max_dim"], p["maximum"])
    _publish_extreme("min", _named("min"), p["min_all"], p["min_dim"], p["minimum"])
    for name in ("amax", "amin"):

        def extreme(input: Tensor, dim: Any = (), keepdim: bool = False, *, which: Any = p[name]) -> Any:  # noqa: A002
            wrap_dims(dim, input._data.ndim)
            return apply(which, input, dim, keepdim)

        extreme.__doc__ = "The extreme along dims, its gradient split evenly at ties."
        export(name)(extreme)


_publish()


@op(symbol="place", name="place_along", grad_fn="ScatterBackward0", latex={"self": r"g[\text{index}]"}, summary={"self": "reads the incoming gradient at the index"})
class place_along:
    """Zeros of `shape` with self written at `index` along dim."""

    def forward(self: A, index: Any, shape: Any, dim: int) -> A:
        out = np.zeros(shape, self.dtype)
        np.put_along_axis(out, raw_index(index), self, axis=dim)
        return out

    def grad_self(g: V, index: V, dim: V) -> V:
        return xp.take_along(g, index, dim)


@op(symbol="take", name="take_along", grad_fn="GatherBackward0", latex={"self": r"\text{scatter}(g)"}, summary={"self": "adds the incoming gradient at the index"})
class take_along:
    """Self read at `index` along dim."""

    def forward(self: A, index: Any, dim: int) -> A:
        return np.take_along_axis(self, raw_index(index), axis=dim)

    def grad_self(g: V, index: V, self_shape: V, dim: V) -> V:
        return xp.place_along(g, index, self_shape, dim)


def raw_index(index: Any) -> Any:
    """The raw value of an index."""
    return index._data if isinstance(index, Tensor) else index


def _for_sum(self: Tensor, kind: dtype | None) -> Tensor:
    if kind is not None:
        return self.to(kind)  # type: ignore[attr-defined, no-any-return]
    return self if self._dtype.category >= 2 else self.to(types.int64)  # type: ignore[attr-defined, no-any-return]


@export("sum")
def _sum(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: dtype | None = None, axis: Any = None, keepdims: bool = False, out: Any = None) -> Any:  # noqa: A002
    """The sum of all elements or along dims; integers are summed as int64."""
    input = _for_sum(input, dtype)  # noqa: A001
    dim = axis if dim is None else dim
    if dim is None:
        return apply(sum_all, input)
    wrap_dims(dim, input._data.ndim)
    return apply(sum_dim, input, (dim,) if isinstance(dim, int) else tuple(dim), bool(keepdim or keepdims))


def _sum_value(value: V, dim: Any = None, keepdim: bool = False) -> V:
    if isinstance(value, Tensor):
        return _sum(value, dim, keepdim)
    return accurate_sum(value, _axes(dim, value.ndim) if dim is not None else None, keepdim)


xp.sum = _sum_value


@export("mean")
def _mean(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: dtype | None = None, axis: Any = None, out: Any = None) -> Any:  # noqa: A002
    """The mean of all elements or along dims; RuntimeError for integers."""
    if dtype is not None:
        input = input.to(dtype)  # type: ignore[attr-defined]  # noqa: A001
    if input._dtype.category < 2:
        raise RuntimeError(
            f"mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: {input._dtype.type_name}"
        )
    dim = axis if dim is None else dim
    if dim is None:
        return apply(mean_all, input)
    wrap_dims(dim, input._data.ndim)
    return apply(mean_dim, input, (dim,) if isinstance(dim, int) else tuple(dim), bool(keepdim))


@export("prod")
def _prod(input: Tensor, dim: int | None = None, keepdim: bool = False, *, dtype: dtype | None = None) -> Any:  # noqa: A002
    """The product of all elements or along a dim."""
    input = _for_sum(input, dtype)  # noqa: A001
    if dim is None:
        return apply(prod_all, input)
    wrap_dim(dim, input._data.ndim)
    return apply(prod_dim, input, dim, bool(keepdim))


@export("cumsum")
def _cumsum(input: Tensor, dim: int, *, dtype: dtype | None = None) -> Any:  # noqa: A002
    """Running sums along `dim`."""
    input = _for_sum(input, dtype)  # noqa: A001
    wrap_dim(dim, input._data.ndim)
    return apply(cumsum, input, dim)


@op(symbol="‖x‖", name="linalg_vector_norm", latex={"self": r"g \cdot \frac{\text{self}}{\text{result}}"}, summary={"self": "multiplies the incoming {g} by {self} divided by the saved norm {result}"})
class vector_norm:
    """The p-norm of all elements or along dims."""

    def forward(self: A, ord: float = 2.0, dim: Any = None, keepdim: bool = False) -> A:  # noqa: A002
        axes = _axes(dim, self.ndim)
        size = np.abs(self)
        wide = cast(size, types.float32) if dtype.table[size.dtype] in LOW_PRECISION else size
        if ord == 2:
            found = np.sqrt(np.sum(wide * wide, axis=axes, keepdims=keepdim))
        elif ord == 1:
            found = np.sum(wide, axis=axes, keepdims=keepdim)
        elif ord == float("inf"):
            found = np.max(wide, axis=axes, keepdims=keepdim)
        elif ord == float("-inf"):
            found = np.min(wide, axis=axes, keepdims=keepdim)
        elif ord == 0:
            found = np.sum(wide != 0, axis=axes, keepdims=keepdim).astype(wide.dtype)
        else:
            found = np.sum(wide**ord, axis=axes, keepdims=keepdim) ** (1 / ord)
        return np.asarray(found).astype(size.dtype)[()]

    def grad_self(g: V, self: V, result: V, ord: V, self_shape: V, dim: V, keepdim: V) -> V:  # noqa: A002
        g, size = restore(g, self_shape, dim, keepdim), restore(result, self_shape, dim, keepdim)
        if ord == 0:
            return xp.zeros_like(self)
        if ord == 1:
            return xp.sgn(self) * g
        if ord == 2:
            return self * xp.where(size == 0, xp.zeros_like(size), g / xp.where(size == 0, xp.ones_like(size), size))
        if abs(ord) == float("inf"):
            mask = xp.abs(self) == size
            return xp.sgn(self) * (g / xp.sum(mask, dim, True)) * mask
        scale = xp.where(size == 0, xp.zeros_like(size), g / xp.where(size == 0, xp.ones_like(size), size) ** (ord - 1))
        magnitude = xp.abs(self)
        if ord < 2:
            safe = xp.where(magnitude == 0, xp.ones_like(magnitude), magnitude)
            return xp.sgn(self) * xp.where(magnitude == 0, xp.zeros_like(magnitude), safe ** (ord - 1)) * scale
        return self * magnitude ** (ord - 2) * scale


@export("norm")
def _norm(input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, out: Any = None, dtype: dtype | None = None) -> Any:  # noqa: A002
    """The norm of all elements or along dims; "fro" is the 2-norm."""
    if dtype is not None:
        input = input.to(dtype)  # type: ignore[attr-defined]  # noqa: A001
    if input._dtype.category < 2:
        raise RuntimeError(
            f"linalg.vector_norm: Expected a floating point or complex tensor as input. Got {input._dtype.type_name}"
        )
    if p == "nuc":
        raise RuntimeError("Backscope has no nuclear norm yet; the nearest are p='fro', p=1, p=2 and p=inf")
    dims = None if dim is None else (dim,) if isinstance(dim, int) else tuple(dim)
    return apply(vector_norm, input, 2.0 if p in ("fro", None) else float(p), dims, bool(keepdim))


def _variance(self: A, dim: Any, correction: float, keepdim: bool) -> A:
    axes = _axes(dim, self.ndim)
    wide = cast(self, types.float32) if dtype.table[self.dtype] in LOW_PRECISION else self
    centred = wide - wide.mean(axis=axes, keepdims=True)
    n = _count(self.shape, axes)
    squared = (centred * centred.conj()).real if wide.dtype.kind == "c" else centred * centred
    total = np.sum(squared, axis=axes, keepdims=keepdim)
    out = total / np.asarray(max(n - correction, 0)).astype(total.dtype)
    return np.asarray(out).astype(self.real.dtype)[()]


@op(symbol="var", latex={"self": r"\frac{2\, g\, (\text{self} - \overline{\text{self}})}{n - 1}"}, summary={"self": "multiplies the incoming {g} by 2 × (x − mean) / (n − correction)"})
class var:
    """The variance along dims."""

    def forward(self: A, dim: Any, correction: float = 1, keepdim: bool = False) -> A:
        return _variance(self, dim, correction, keepdim)

    def grad_self(g: V, self: V, self_shape: V, dim: V, correction: V, keepdim: V) -> V:
        return _variance_gradient(g, self, self_shape, dim, correction, keepdim)


def _variance_gradient(g: V, self: V, shape: Any, dim: Any, correction: float, keepdim: bool) -> V:
    dims = wrap_dims(dim, len(shape))
    n = _count(shape, dims)
    scale = 2.0 / (n - correction) if n != correction else float("inf")
    centred = self - xp.sum(self, dims, True) / n if dims else self - self
    return (scale * restore(g, shape, dims, keepdim)) * centred


@op(symbol="std", latex={"self": r"\frac{g\, (\text{self} - \overline{\text{self}})}{\text{result}\,(n - 1)}"}, summary={"self": "multiplies the incoming {g} by (x − mean) / ({result} × (n − correction))"})
class std:
    """The standard deviation along dims."""

    def forward(self: A, dim: Any, correction: float = 1, keepdim: bool = False) -> A:
        return np.sqrt(_variance(self, dim, correction, keepdim))

    def grad_self(g: V, self: V, result: V, self_shape: V, dim: V, correction: V, keepdim: V) -> V:
        halved = g / (result * 2)
        safe = xp.where(result == 0, xp.zeros_like(halved), halved)
        return _variance_gradient(safe, self, self_shape, dim, correction, keepdim)


def _publish_spread(which: Any) -> None:
    def spread(input: Tensor, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None) -> Any:  # noqa: A002
        if isinstance(dim, bool):
            dim, unbiased = None, dim
        if input._dtype.category < 2:
            raise RuntimeError(f"std and var only support floating point and complex dtypes")
        amount = correction if correction is not None else (1 if unbiased in (None, True) else 0)
        dims = wrap_dims(dim, input._data.ndim)
        if _count(input._data.shape, dims) <= amount:
            from backscope.warning import warn

            warn(
                f"{which.name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor (input numel divided by output numel)."
            )
        return apply(which, input, None if dim is None else (dim,) if isinstance(dim, int) else tuple(dim), amount, bool(keepdim))

    spread.__doc__ = f"The {which.name} of all elements or along dims, with Bessel's correction by default."
    export(which.name)(spread)


_publish_spread(var)
_publish_spread(std)


def _reduce_plain(name: str, function: Any, kind: dtype | None) -> None:
    def reduction(input: Tensor, dim: Any = None, keepdim: bool = False) -> Any:  # noqa: A002
        data = function(input._data, axis=None if dim is None else wrap_dims(dim, input._data.ndim) if name in ("any", "all") else dim, keepdims=keepdim)
        data = np.asarray(data)[()]
        return make(cast(data, kind) if kind is not None else data, kind or dtype.table[data.dtype])

    reduction.__doc__ = f"{name} of all elements or along a dim; not differentiable."
    export(name)(reduction)


_reduce_plain("any", np.any, types.bool_)
_reduce_plain("all", np.all, types.bool_)
_reduce_plain("argmax", np.argmax, types.int64)
_reduce_plain("argmin", np.argmin, types.int64)
_reduce_plain("count_nonzero", np.count_nonzero, types.int64)
