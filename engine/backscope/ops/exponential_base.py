"""Which base numpy raises to powers soonest on this machine, for formulas that can be in any base."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

_WIDE = {"X86_V4", "AVX512_SKX"}
"""What numpy calls the instructions with which its powers of two take half as long as those of e.

Without them they are worked out one by one.
"""


def base(kind: Any) -> tuple[float, Callable[..., Any]]:
    """How often an exponent of e goes into one of the base, and the powers of the base, for numbers of a type."""
    config: Any = np.show_config(mode="dicts")
    found = config.get("SIMD Extensions", {}).get("found", ())
    if kind is np.float32 and not _WIDE.isdisjoint(found):
        return math.log2(math.e), np.exp2
    return 1.0, np.exp
