"""The memory of tensors given as `out=`: when it is resized, and which part of an expanded one is written."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

from backscope.ops.core.arguments.out_dtypes import MAKING
from backscope.ops.core.declaration import primitives
from backscope.runtime.given import Value
from backscope.runtime.warning import warn, warn_once
from backscope.tensor.dtype import BOOL, COMPLEX
from backscope.tensor.storage import flat_memory
from backscope.tensor.strides import element_strides, is_dense, offset_in_storage, strided

RESIZED = (
    "An output with one or more elements was resized since it had shape {0}, which does not match the required output "
    "shape {1}. This behavior is deprecated, and in a future PyTorch release outputs will not be resized unless they "
    "have zero elements. You can explicitly reuse an out tensor t by resizing it, inplace, to zero elements with "
    "t.resize_(0)."
)

SIZED_FIRST = frozenset(["mean", "stack", "std", "var"])
"""Functions that give `out` its shape before they check its dtype."""

_REDUCING = {"sum": "sum", "nansum": "sum", "prod": "prod", "all": "all", "any": "any", "amax": "amax", "amin": "amin"}
"""Functions that reduce the dims that `out` is expanded along, and the reduction that it uses."""

_IN_ORDER = frozenset(["bmm", "full", "matmul", "mv", "ones", "zeros"])
"""Functions that write one element after the other: the last one remains in memory that several share."""

WRITING_EXPANDED = frozenset(_REDUCING) | _IN_ORDER
"""Functions that write into expanded tensors."""

_CHECKED = (
    "argmax argmin cat concat concatenate cumprod cumsum gather index_select logsumexp mean mm norm softmax stack std "
    "tril triu var"
)
CHECKED_AFTERWARDS = frozenset(_CHECKED.split())
"""Functions that refuse an expanded tensor after giving it the result's shape; a resize can make it valid."""


_LAID_OUT = frozenset(["add", "clamp", "clip", "conj_physical", "lerp", "nan_to_num", "pow", "sub"])
"""Elementwise functions composed of several ops."""


def give_layout(out: Value, found: Value, name: str) -> None:
    """Resize `out` for a result; an elementwise one keeps the order of its dims in memory."""
    before = out._data.shape
    give_shape(out, found._data.shape, name)
    name = name.partition(".")[0]
    op = primitives.get(name)
    if before == out._data.shape or not (name in _LAID_OUT or (op is not None and op.elementwise)):
        return
    array, wanted = out._data, found._data
    if not isinstance(array, np.ndarray) or not isinstance(wanted, np.ndarray) or wanted.ndim < 2:
        return
    if wanted.flags.c_contiguous or not is_dense(wanted):
        return
    steps = element_strides(wanted)
    out._data = strided(flat_memory(array), array.shape, steps, offset_in_storage(array))


_OF_FIRST = frozenset(["log_softmax", "softmax"])
_NO_ELEMENT = re.compile("out of bounds|out of range: tried|Index tensor must have")
_OF_INDEX = frozenset(["gather", "take"])
_OF_STEPS = frozenset(["linspace", "logspace"])


def give_refused_shape(out: Value, name: str, args: tuple[Any, ...], error: Exception) -> None:
    """Resize `out` for a call that failed without a kernel for a type, or with an index out of range.

    PyTorch gives `out` its shape before it checks either.
    """
    if not hasattr(out, "_data"):
        return
    shapes = [a._data.shape for a in args if hasattr(a, "_data")]
    op = primitives.get(name)
    if name in _OF_INDEX and len(shapes) > 1 and _NO_ELEMENT.search(str(error)):
        give_shape(out, shapes[1], name)
    elif "not implemented for" not in str(error):
        return
    elif name in _OF_STEPS:
        give_shape(out, (int(args[2]),), name)
    elif name in _OF_FIRST and shapes:
        if out._data.shape == shapes[0] or out._data.flags.c_contiguous:
            give_shape(out, shapes[0], name)
        else:  # A contiguous copy of it is resized.
            warn(RESIZED.format(list(out._data.shape), list(shapes[0])))
    elif shapes and (name in _LAID_OUT or (op is not None and op.elementwise)):
        give_shape(out, np.broadcast_shapes(*shapes), name)


def give_shape(out: Value, shape: tuple[int, ...], name: str) -> None:
    """Resize what was given as `out=` to the shape of a result, with a warning where it has elements."""
    if out._data.shape == shape:
        return
    size = math.prod(shape)
    if out._data.size and name == "arange":
        warn(
            f"The number of elements in the out tensor of shape {list(out._data.shape)} is {out._data.size} which "
            f"does not match the computed number of elements {size}. Note that this may occur as a "
            f"result of rounding error. The out tensor will be resized to a tensor of shape ({size},)."
        )
    elif out._data.size and name not in MAKING:
        warn(RESIZED.format(list(out._data.shape), list(shape)))
    from backscope.ops.shape.resizing import resized

    counted = out._counter()[0]
    resized(out, (shape,))
    out._counter()[0] = counted


def written_part(out: Value, found: Value, name: str) -> tuple[Any, Any]:
    """Return the part of an expanded `out` that has memory of its own and the values for it; others unchanged."""
    if name not in WRITING_EXPANDED or not isinstance(out._data, np.ndarray) or 0 not in out._data.strides:
        return out, found
    if name == "matmul" and found._data.ndim == 2:
        return out, found
    for dim, (length, stride) in enumerate(zip(out._data.shape, out._data.strides, strict=True)):
        if stride or length < 2:
            continue
        out = out.narrow(dim, 0, 1)
        found = (
            getattr(found, _REDUCING[name])(dim, keepdim=True)
            if name in _REDUCING
            else found.narrow(dim, length - 1, 1)
        )
    return out, found


def fitted(name: str, given: Value, found: Value, out: Value) -> tuple[Any, str]:
    """Convert the result of an elementwise op for `out`; return it and the name of the function with the dtype rule.

    The absolute values of complex numbers go into real tensors of any floating type, otherwise into a tensor of the
    input's dtype.
    """
    complex_given = getattr(given, "_dtype", None) is not None and given._dtype.is_complex
    if name in ("abs", "absolute") and complex_given:
        return (found.to(given._dtype), name) if out._dtype.is_complex else (found, "angle")
    if found._dtype.category == BOOL and complex_given and BOOL < out._dtype.category < COMPLEX and found._data.size:
        give_shape(out, found._data.shape, name)
        warn_once("Casting complex values to real discards the imaginary part")
    return found, name
