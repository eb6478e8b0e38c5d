"""The names of `torch.special`."""

from __future__ import annotations

from typing import Any as _Any

import backscope.ops.names.all  # noqa: F401 - declares the ops
from backscope.ops.core.arguments.out_arguments import with_out as _with_out
from backscope.ops.core.namespace import torch_functions as _functions
from backscope.ops.names.special_names import special as _special
from backscope.torch.missing import missing_name as _missing_name

globals().update(_with_out(_special, "special"))
globals().update(_with_out({name[8:]: f for name, f in _functions.items() if name.startswith("special_")}, "special"))


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.special", name, globals())
