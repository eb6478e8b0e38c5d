"""Index tensors and masks of reads and writes with brackets: what fits a tensor, and the errors of what does not."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.autograd.transforms.transform_refusals import refuse_dynamic
from backscope.ops.core.arguments.dims import wrap_dim
from backscope.ops.core.declaration import A
from backscope.runtime.given import Shape, Values
from backscope.runtime.warning import warn
from backscope.tensor import dtype as types
from backscope.tensor.meta import MetaArray
from backscope.tensor.tensor import Tensor, of_raw

MASKS = (types.bool_, types.uint8)
_OF_INDICES = (types.int64, types.bool_, types.int32, types.uint8)


def fitted(tensor: Tensor, parts: Values, *, fills: bool = False) -> tuple[tuple[Any, ...], bool]:
    """Return the parts, index tensors and masks with None for whole dims, and True where an index is out of range.

    `fills` where one number is written to all elements: PyTorch fills at a single mask.

    Raises: IndexError for a part of another dtype, and for a mask of another shape than the dims that it indexes.
    """
    shape = tensor._data.shape
    given = [p for p in parts if p is not None]
    if fills and len(given) == 1 and given[0]._dtype in MASKS:
        _check_mask(given[0], shape, next(d for d, p in enumerate(parts) if p is not None))
        if given[0]._dtype is types.uint8:
            raise RuntimeError("masked_fill_ only supports boolean masks, but got mask with dtype unsigned char")
        return tuple(parts), False
    for p in given:
        if p._dtype not in _OF_INDICES:
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
    dim, beyond = 0, False
    for p in parts:
        if p is None:
            dim += 1
        elif p._dtype in MASKS:
            if p._dtype is types.uint8:
                warn("indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead.")
            _check_mask(p, shape, dim)
            dim += p._data.ndim
        else:
            if p._data.size and dim < len(shape):
                beyond = beyond or not (-shape[dim] <= p._data.min() and p._data.max() < shape[dim])
            dim += 1
    if dim > len(shape):
        result_shape(tensor, parts)
        wrap_dim(len(shape), len(shape))
    return tuple(parts), beyond


def _check_mask(mask: Tensor, shape: Shape, dim: int) -> None:
    """Raise IndexError for a mask that has not the shape of the dims from `dim` on."""
    for i, n in enumerate(mask._data.shape):
        if n != shape[wrap_dim(dim + i, len(shape))]:
            raise IndexError(
                f"The shape of the mask {list(mask._data.shape)} at index {i} does not match the shape of the indexed "
                f"tensor {list(shape)} at index {dim + i}"
            )
    refuse_dynamic(mask, "index")


def array_key(indices: Values) -> tuple[Any, ...]:
    """Return the NumPy key for raw index arrays and masks by dim, with slices for whole dims."""
    key: list[Any] = []
    for index in indices:
        if index is None:
            key.append(slice(None))
        elif index.dtype.name in ("bool", "uint8"):
            if isinstance(index, MetaArray):
                raise uncounted()
            key.extend(np.nonzero(index) if index.ndim else ())
        else:
            key.append(index)
    return tuple(key)


def uncounted() -> NotImplementedError:
    """Return the error for a count of elements that are not zero on the device "meta"."""
    return NotImplementedError(
        "The register_meta function for torch.nonzero() raises unimplemented by default, as a correct data-independent "
        "implementation does not exist. This implementation returns a fake value, assuming all elements of the tensor "
        "are non-zero. To enable this registration, please set "
        "'torch.fx.experimental._config.meta_nonzero_assume_all_nonzero' to True."
    )


def result_shape(tensor: Tensor, parts: Values) -> tuple[int, ...]:
    """Return the shape of what indices lead to.

    Raises: IndexError for indices whose shapes do not broadcast, and for elements of a dim without any.
    """
    shape = tensor._data.shape
    places: list[tuple[int, ...] | None] = []
    for p in parts:
        if p is None:
            places.append(None)
        elif p._dtype in MASKS:
            if isinstance(p._data, MetaArray):
                raise uncounted()
            places += [(int(np.count_nonzero(p._data)),)] * p._data.ndim
        else:
            places.append(p._data.shape)
    dims = [d for d, s in enumerate(places) if s is not None]
    given = [s for s in places if s is not None]
    try:
        common = given[0] if len(given) == 1 else np.broadcast_shapes(*given)
    except ValueError:
        listed = ", ".join(str(list(s)) for s in given)
        raise IndexError(
            f"shape mismatch: indexing tensors could not be broadcast together with shapes {listed}"
        ) from None
    if len(places) <= len(shape) and 0 not in common and any(not shape[d] for d in dims):
        raise IndexError("index is out of bounds for dimension with size 0")
    if not dims:
        return tuple(shape)
    others = [n for d, n in enumerate(shape) if d not in dims]
    first = dims[0] if dims[-1] - dims[0] + 1 == len(dims) else 0
    return (*others[:first], *common, *others[first:])


def checked_range(tensor: Tensor, parts: Values, room: Shape) -> tuple[Any, ...]:
    """Return indices for a result of the shape `room` of which some are out of range: zeros where it has no elements.

    Raises: IndexError for the first index out of range, in the order of the elements of the result.
    """
    if 0 in room:
        return tuple([p if p is None or p._dtype in MASKS else of_raw(np.zeros_like(p._data)) for p in parts])
    key = array_key([None if p is None else p._data for p in parts])
    dims = [d for d, k in enumerate(key) if not isinstance(k, slice)]
    arrays: list[A] = [a.reshape(-1) for a in np.broadcast_arrays(*[key[d] for d in dims])]
    lengths = [tensor._data.shape[d] for d in dims]
    wrong = np.array([(a < -n) | (a >= n) for a, n in zip(arrays, lengths, strict=True)])
    element = int(wrong.any(0).argmax())
    which = int(wrong[:, element].argmax())
    # PyTorch counts the index tensors here, not the dims.
    raise IndexError(
        f"index {arrays[which][element]} is out of bounds for dimension {which} with size {lengths[which]}"
    )
