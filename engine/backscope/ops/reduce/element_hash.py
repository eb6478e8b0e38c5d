"""hash_tensor: the bits of elements combined by exclusive or."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.ops.core.arguments.dims import wrap_dims
from backscope.ops.core.namespace import export
from backscope.runtime.given import Dim, Value
from backscope.tensor.tensor import Tensor, of_raw


@export("hash_tensor")
def hash_tensor(input: Tensor, dim: Dim = (), *, keepdim: bool = False, mode: int = 0) -> Value:  # noqa: A002
    """The bits of all elements, or of those along dims, combined by exclusive or."""
    if mode != 0:
        raise RuntimeError(f"Unknown hash_tensor mode: {mode}")
    values = np.asarray(input._data)
    wide: Any = values.astype(np.float64 if input._dtype.is_floating_point else np.int64).view(np.uint64)
    dims = tuple(range(wide.ndim)) if dim is None or dim == () else wrap_dims(dim, wide.ndim)
    for d in sorted(dims, reverse=True):
        wide = np.bitwise_xor.reduce(wide, axis=d)
        wide = np.expand_dims(wide, d) if keepdim else wide
    return of_raw(np.asarray(wide)[()])
