"""The names of `functorch.experimental`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.func.forward_transforms import jacfwd, jvp
from backscope.func.functionalize import functionalize
from backscope.func.reverse_transforms import hessian
from backscope.func.vmap import chunk_vmap
from backscope.nn.layers.batch_normalization import replace_all_batch_norm_modules_
from backscope.torch.missing import missing_name as _missing_name

__all__ = ["chunk_vmap", "functionalize", "hessian", "jacfwd", "jvp", "replace_all_batch_norm_modules_"]


def __getattr__(name: str) -> _Any:
    raise _missing_name("functorch.experimental", name, globals())
