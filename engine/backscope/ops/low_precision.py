"""float16 and bfloat16: kernels compute in float32 and round once; some round at each step, or past the last block."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.dtype import LOW_PRECISION, dtype

BLOCK = 32
"""How many elements a vectorized kernel of PyTorch takes at once; what is left over goes another way."""


def wide(value: Any) -> Any:
    """Low precision values as float32, any others as they are."""
    return value.astype(np.float32) if dtype.table[value.dtype] in LOW_PRECISION else value


def in_blocks(whole: Any, rest: Any) -> Any:
    """Elements of whole blocks from `whole`, the ones left over from `rest`, in the order of memory."""
    start = whole.size - whole.size % BLOCK
    if start == 0:
        return rest
    out = np.array(whole)
    out.reshape(-1)[start:] = rest.reshape(-1)[start:]
    return out
