"""Switches for deterministic algorithms and the precision of products: kept, and of no effect here."""

from __future__ import annotations

from backscope.process import process_wide

_state = process_wide({"deterministic": False, "warn_only": False})
_precision = process_wide(["highest"])


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """All ops are deterministic here; the wish is remembered."""
    _state.update(deterministic=bool(mode), warn_only=bool(warn_only))


def are_deterministic_algorithms_enabled() -> bool:
    """True after use_deterministic_algorithms(True)."""
    return _state["deterministic"]


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """True where just a warning was wished for."""
    return _state["warn_only"]


def set_float32_matmul_precision(precision: str) -> None:
    """Remember how precise products of float32 matrices shall be: "highest", "high" or "medium"."""
    _precision[0] = precision


def get_float32_matmul_precision() -> str:
    """What set_float32_matmul_precision() set."""
    return _precision[0]
