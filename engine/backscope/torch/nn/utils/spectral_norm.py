"""The names of `torch.nn.utils.spectral_norm`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.nn.parametrization.spectral_norm import (
    SpectralNorm,
    SpectralNormLoadStateDictPreHook,
    SpectralNormStateDictHook,
    remove_spectral_norm,
    spectral_norm,
)
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "SpectralNorm",
    "SpectralNormLoadStateDictPreHook",
    "SpectralNormStateDictHook",
    "remove_spectral_norm",
    "spectral_norm",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.nn.utils.spectral_norm", name, globals())
