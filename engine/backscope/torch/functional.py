"""The names of `torch.functional`."""

from __future__ import annotations

from typing import Any as _Any

import backscope.ops.names.all  # noqa: F401 - declares the ops
from backscope.ops.core.namespace import torch_functions as _functions
from backscope.torch.missing import missing_name as _missing_name

_NAMES = (
    "atleast_1d atleast_2d atleast_3d block_diag broadcast_shapes broadcast_tensors cartesian_prod cdist chain_matmul "
    "einsum istft lu meshgrid norm split stft tensordot unique unique_consecutive"
)
globals().update({name: _functions[name] for name in _NAMES.split() if name in _functions})


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.functional", name, globals())
