"""The names of `torch.nn.utils.prune`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.nn.pruning.choice import (
    CustomFromMask,
    Identity,
    L1Unstructured,
    LnStructured,
    RandomStructured,
    RandomUnstructured,
)
from backscope.nn.pruning.method import BasePruningMethod, PruningContainer
from backscope.nn.pruning.pruning_functions import (
    custom_from_mask,
    global_unstructured,
    identity,
    is_pruned,
    l1_unstructured,
    ln_structured,
    random_structured,
    random_unstructured,
    remove,
)
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "BasePruningMethod",
    "CustomFromMask",
    "Identity",
    "L1Unstructured",
    "LnStructured",
    "PruningContainer",
    "RandomStructured",
    "RandomUnstructured",
    "custom_from_mask",
    "global_unstructured",
    "identity",
    "is_pruned",
    "l1_unstructured",
    "ln_structured",
    "random_structured",
    "random_unstructured",
    "remove",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.nn.utils.prune", name, globals())
