"""Views with their dims in another order: permute, transpose, t, movedim, and the properties T, mT, H, mH."""

from __future__ import annotations

from typing import Any

from backscope.ops.core.arguments.dims import Dims, sizes, wrap_dim, wrap_dims
from backscope.ops.core.declaration import A, V, op, primitives, xp
from backscope.ops.core.dispatch import apply, to_array
from backscope.ops.core.namespace import export
from backscope.runtime.given import Dim, Value
from backscope.runtime.warning import warn_once
from backscope.tensor.tensor import Tensor


@op(
    view=True,
    symbol="permute",
    latex={"self": r"\text{permute}^{-1}(g)"},
    summary={"self": "puts the dims of the incoming gradient back in order"},
)
class permute:
    """The dims in another order."""

    def forward(self: A, dims: Dims) -> A:
        return self.transpose(dims) if self.ndim else to_array(self).transpose(dims)

    def grad_self(g: V, dims: V) -> V:
        n = len(dims)
        back = [0] * n
        for i, d in enumerate(dims):
            back[d % n] = i
        return xp.permute(g, tuple(back))


@op(
    view=True,
    symbol="transpose",
    latex={"self": "g^T"},
    summary={"self": "swaps dims {dim0} and {dim1} of the incoming gradient back"},
)
class transpose:
    """Two dims swapped."""

    def forward(self: A, dim0: int, dim1: int) -> A:
        return self.swapaxes(dim0, dim1) if self.ndim else to_array(self)[...]

    def grad_self(g: V, dim0: V, dim1: V) -> V:
        return xp.transpose(g, dim0, dim1)


@op(view=True, symbol="T", latex={"self": "g^T"}, summary={"self": "transposes the incoming gradient back"})
class t:
    """A matrix transposed."""

    def forward(self: A) -> A:
        return self.T if self.ndim else to_array(self)[...]

    def grad_self(g: V) -> V:
        return xp.t(g)


@export("permute")
def _permute(input: Tensor, *args: Any, dims: Dim = None, copied: str = "") -> Any:  # noqa: A002
    """The dims in the order given."""
    if not args and dims is None:
        raise TypeError('permute() missing 1 required positional arguments: "dims"')
    order = sizes(args if dims is None else (dims,))
    ndim = input._data.ndim
    if len(order) != ndim:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
            f"ordering of dimensions i.e. input.dim() = {ndim} is not equal to len(dims) = {len(order)}"
        )
    if len({wrap_dim(d, ndim) for d in order}) != ndim:
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return apply(primitives["permute" + copied], input, order)


_TRANSPOSE = primitives["transpose"]


@export("transpose", "swapaxes", "swapdims")
def _transpose(input: Tensor, dim0: int, dim1: int, *, copied: str = "") -> Any:  # noqa: A002
    """Swap two dims."""
    ndim = input._data.ndim
    if not (-ndim <= dim0 < ndim and -ndim <= dim1 < ndim):
        wrap_dim(dim0, ndim)
        wrap_dim(dim1, ndim)
    return (primitives["transpose" + copied] if copied else _TRANSPOSE).apply(input, dim0, dim1)


@export("t")
def _t(input: Tensor, *, copied: str = "") -> Any:  # noqa: A002
    """A matrix transposed; RuntimeError above two dims."""
    if input._data.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {input._data.ndim}D")
    return apply(primitives["t" + copied], input)


@export("movedim", "moveaxis")
def _movedim(input: Tensor, source: Value, destination: Any) -> Any:  # noqa: A002
    """Dims moved to other places."""
    ndim = input._data.ndim
    if not ndim:
        wrap_dims(source, ndim)
        wrap_dims(destination, ndim)
        return apply(primitives["alias"], input)
    given = [[d] if isinstance(d, int) else list(d) for d in (source, destination)]
    if len(given[0]) != len(given[1]):
        raise RuntimeError(
            f"movedim: Invalid source or destination dims: source ({given[0]} dims) should contain the same number of "
            f"dims as destination ({given[1]} dims)"
        )
    for name, dims in zip(("source", "destination"), given, strict=True):
        if len({wrap_dim(d, ndim) for d in dims}) != len(dims):
            raise RuntimeError(f"movedim: repeated dim in `{name}` ({dims})")
    from_ = wrap_dims(source, ndim)
    placed = dict(zip(wrap_dims(destination, ndim), from_, strict=True))
    rest = iter([d for d in range(ndim) if d not in from_])
    return apply(primitives["permute"], input, tuple(placed[i] if i in placed else next(rest) for i in range(ndim)))


def _reversed(self: Tensor) -> Any:
    if not self._data.ndim:
        warn_once("Tensor.T is deprecated on 0-D tensors. This function is the identity in these cases.")
    elif self._data.ndim != 2:
        warn_once(REVERSED)
    return _permute(self, tuple(range(self._data.ndim))[::-1])


REVERSED = (
    "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will throw an "
    "error in a future release. Consider `x.mT` to transpose batches of matrices or "
    "`x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor."
)


def _matrices_swapped(name: str, *, conjugated: bool) -> Any:
    def swapped(self: Tensor) -> Any:
        ndim = self._data.ndim
        if name == "H" and ndim not in (0, 2):
            more = " For batches of matrices, consider using tensor.mH" if ndim > 2 else ""
            raise RuntimeError(f"tensor.H is only supported on matrices (2-D tensors). Got {ndim}-D tensor.{more}")
        if ndim == 1:
            raise RuntimeError(f"tensor.{name} is only supported on matrices or batches of matrices. Got 1-D tensor.")
        if not ndim:
            if name == "mT":
                warn_once("Tensor.mT is deprecated on 0-D tensors. This function is the identity in these cases.")
                return self
            warn_once(f"Tensor.{name} is deprecated on 0-D tensors. Consider using x.conj().")
            return self.conj()  # type: ignore[attr-defined]
        found = _transpose(self, -2, -1)
        return found.conj() if conjugated and self._dtype.is_complex else found

    return property(swapped)


setattr(Tensor, "T", property(_reversed))

setattr(Tensor, "mT", _matrices_swapped("mT", conjugated=False))

setattr(Tensor, "H", _matrices_swapped("H", conjugated=True))

setattr(Tensor, "mH", _matrices_swapped("mH", conjugated=True))
