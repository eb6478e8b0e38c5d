"""How this torch was built: torch.__config__."""

from __future__ import annotations

import numpy as np

from backscope.runtime.version import TORCH_VERSION


def show() -> str:
    """What it is made of."""
    return f"Backscope's torch {TORCH_VERSION} on numpy {np.__version__}, USE_CUDA=OFF, USE_MKL=OFF\n"


def parallel_info() -> str:
    """One thread."""
    return "ATen/Parallel:\n\tat::get_num_threads() : 1\n"
