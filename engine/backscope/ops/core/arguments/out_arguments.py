"""The `out=` argument: results are written into tensors that the caller passes."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from backscope.ops.core.arguments.argument_types import type_name
from backscope.ops.core.arguments.out_dtypes import MAKING, check_dtype, computed_in
from backscope.ops.core.arguments.out_memory import CHECKED_AFTERWARDS, WRITING_EXPANDED, give_refused_shape, give_shape
from backscope.ops.core.arguments.out_tracking import check_tracked, leave_underived
from backscope.ops.core.arguments.signatures import check, signatures
from backscope.ops.core.namespace import write_out
from backscope.ops.core.return_types import out_type
from backscope.ops.core.unsupported import no_kernel
from backscope.ops.core.writing import PARTLY_SHARED, announce, check_overlap, check_written
from backscope.runtime.given import Values
from backscope.runtime.warning import warn_once
from backscope.tensor.dtype import BOOL, dtype
from backscope.tensor.tensor import Tensor

_FURTHER = {
    "torch": (
        "chain_matmul empty_like empty_permuted empty_strided from_file hamming_window histogramdd hspmm norm "
        "ones_like rand_like randn_like range sparse_compressed_tensor sspaddmm std_mean tensordot var_mean zeros_like"
    ),
    "linalg": "_powsum matmul",
    "nn": "logsigmoid",
}
"""Functions with `out=` that have no signature, or one that does not list it."""

_PREFIXED = frozenset({"linalg", "fft", "special"})

APART = frozenset(["kthvalue", "masked_select", "gather", "cat", "concat", "concatenate", "take", "index_select"])
"""Functions that raise an error for an `out` that shares memory with their inputs."""


_CUMULATING = frozenset(["cumsum", "cumprod"])

_BOUNDED = frozenset(["clamp", "clip", "clamp_min", "clamp_max"])
"""Functions with other rules for `out=` where their bounds are tensors."""

_OF_TWO = frozenset(["copysign", "div", "divide", "fmod", "lerp", "pow", "remainder", "true_divide", "where", "xlogy"])
_ELEMENT_BY_ELEMENT = _BOUNDED | _CUMULATING | _OF_TWO
"""Functions that may overwrite all of an input, but not a part of it."""


def _check_place(name: str, out: Tensor, sources: Values) -> None:
    """Raise RuntimeError for a tensor that the result of a function can't go into."""
    if name not in CHECKED_AFTERWARDS and name not in WRITING_EXPANDED:
        check_written(out)
    if name in APART and any(s is out or np.may_share_memory(out._data, s._data) for s in _tensors(sources)):
        raise RuntimeError(PARTLY_SHARED)
    if name in _ELEMENT_BY_ELEMENT:
        check_overlap(out, _tensors(sources))


def _tensors(values: Values) -> Any:
    for v in values:
        if isinstance(v, Tensor):
            yield v
        elif isinstance(v, (list, tuple)):
            yield from _tensors(v)


prepared_outs: dict[str, Callable[..., tuple[tuple[int, ...] | None, dtype]]] = {}
"""Functions that give `out` its shape before they look at their indices.

Each checks the arguments up to there and returns the shape, None for a call that fails before, and the dtype.
"""


checked_parts: dict[str, Callable[..., object]] = {}
"""The checks of functions that are composed of another one, which refuses inputs that require grad after them."""


def _prepare(name: str, args: tuple[Any, ...], kwargs: dict[str, Any], out: Tensor) -> None:
    """Check and resize the `out` of a function that does so before it looks at its indices."""
    shape, kind = prepared_outs[name](*args, **kwargs)
    check_dtype(name, kind, out._dtype)
    if shape is not None:
        _check_place(name, out, (*args, *kwargs.values()))
        give_shape(out, shape, name)


def _check_outs(space: str, name: str, outs: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Raise TypeError for what is no tensor, as PyTorch raises it."""
    for place in outs:
        if not isinstance(place, Tensor):
            check(space, name, args, kwargs)
            raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type_name(place)}")


def _real_part(args: tuple[Any, ...], kind: dtype) -> tuple[tuple[Any, ...], bool]:
    """Return the arguments with the real part of a complex tensor for a real `kind`, and True where one was taken.

    PyTorch warns after `out` has its shape, and only where there are elements.
    """
    given: Any = args[0] if args else None
    if not isinstance(given, Tensor) or not given._dtype.is_complex or kind.is_complex:
        return args, False
    numbers: Any = given
    if kind.category == BOOL:
        return (numbers != 0, *args[1:]), False
    return (numbers.real, *args[1:]), bool(given._data.size)


def _filled(name: str, args: tuple[Any, ...], out: Tensor) -> bool:
    """Give a bool `out` the shape of a cumulative function's input; return False where that has no elements.

    Raises: NotImplementedError where it has elements.
    """
    if not args or not isinstance(args[0], Tensor):
        return True
    give_shape(out, args[0]._data.shape, name)
    if args[0]._data.size:
        raise no_kernel(f"{name}_out_cpu", out._dtype)
    return False


def _taking_out(space: str, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    title = f"{space}_{name}" if space in _PREFIXED else name

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if kwargs.get("out") is None:
            kwargs.pop("out", None)
            return function(*args, **kwargs)
        check(space, name, args, kwargs)
        out = kwargs["out"]
        several = isinstance(out, (list, tuple))
        outs = tuple(out) if several else (out,)
        _check_outs(space, name, outs, args, kwargs)
        del kwargs["out"]
        tracked = bool(kwargs.pop("requires_grad", False)) if name in MAKING else False
        sources = (*args, *kwargs.values())
        try:
            check_tracked(name, title, sources, outs)
        except RuntimeError:
            if name in checked_parts:
                checked_parts[name](*args, **kwargs)
            raise
        for place in outs:
            announce(place)
        if name in prepared_outs and not several:
            _prepare(name, args, kwargs, out)
        discarding = False
        if not several:
            kind = computed_in(name, out._dtype, kwargs.get("dtype"), next(_tensors(sources), None))
            if kind is not None:
                kwargs["dtype"] = kind
                if name != "nansum":
                    args, discarding = _real_part(args, kind)
                if kind.category == BOOL and name in _CUMULATING and not _filled(name, args, out):
                    return out
        try:
            result = function(*args, **kwargs)
        except (NotImplementedError, IndexError, RuntimeError) as error:
            give_refused_shape(out, name, sources, error)
            raise
        if discarding:
            give_shape(out, result._data.shape, name)
            warn_once("Casting complex values to real discards the imaginary part")
        written_as = title + ".Tensor" if name in _BOUNDED and len(list(_tensors(sources))) > 1 else title
        for place in outs:
            _check_place(name, place, sources)
        if not several:
            write_out(out, result, written_as, sources=sources)
            leave_underived(name, sources, out)
            if name in MAKING and out.__class__ is Tensor and out._grad_fn is None and out._view is None:
                out._requires_grad = tracked  # Its earlier setting has no effect.
            return out
        if name in _WITHOUT_RESULT and len(outs) != len(result):
            raise RuntimeError(
                f"{_WITHOUT_RESULT[name]} expected an out= argument of size {len(result)}, got size {len(outs)}"
            )
        if len(outs) != len(result):
            raise TypeError(f"expected tuple of {len(result)} elements but got {len(outs)}")
        written = [write_out(o, f, title, place) for place, (o, f) in enumerate(zip(outs, result, strict=True))]
        if name in _WITHOUT_RESULT:
            return None
        made: Any = type(result)
        return out_type(made)(*written) if hasattr(made, "_fields") else tuple(written)

    call.takes_out = True  # type: ignore[attr-defined]
    return call


_WITHOUT_RESULT = {
    "split_copy": "split_copy_Tensor_out()",
    "split_with_sizes_copy": "split_with_sizes_copy_out",
    "unbind_copy": "unbind_copy_int_out",
}
"""The functions that return nothing with `out=`, and their names in errors."""


def with_out(functions: Mapping[str, Callable[..., Any]], space: str = "torch") -> dict[str, Callable[..., Any]]:
    """Return the functions of a namespace; those that take `out=` in PyTorch are wrapped to take it."""
    names = set(_FURTHER.get(space, "").split())
    names.update(n for n in functions if any(p.name == "out" for s in signatures(space, n) for p in s.parameters))
    return {
        name: _taking_out(space, name, f) if name in names and not hasattr(f, "takes_out") else f
        for name, f in functions.items()
    }
