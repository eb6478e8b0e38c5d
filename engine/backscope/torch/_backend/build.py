"""The build of this torch: torch.__config__."""

from __future__ import annotations

import numpy as np

from backscope.runtime.version import TORCH_VERSION


def show() -> str:
    """Return a description of the build."""
    return f"Backscope's torch {TORCH_VERSION} on numpy {np.__version__}, USE_CUDA=OFF, USE_MKL=OFF\n"


def parallel_info() -> str:
    """Return the number of threads, which is 1."""
    return "ATen/Parallel:\n\tat::get_num_threads() : 1\n"
