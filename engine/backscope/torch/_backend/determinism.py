"""Switches for deterministic algorithms and the precision of products: stored, and of no effect here."""

from __future__ import annotations

from backscope.runtime.process import process_wide

_state = process_wide({"deterministic": False, "warn_only": False})
_precision = process_wide(["highest"])


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Store the mode; all ops are deterministic here."""
    _state.update(deterministic=bool(mode), warn_only=bool(warn_only))


def are_deterministic_algorithms_enabled() -> bool:
    """True after use_deterministic_algorithms(True)."""
    return _state["deterministic"]


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """True where just a warning was wished for."""
    return _state["warn_only"]


_DEBUG_MODES = ("default", "warn", "error")


def set_deterministic_debug_mode(debug_mode: int | str) -> None:
    """Store the mode for deterministic algorithms: "default" or 0, "warn" or 1, "error" or 2."""
    if not isinstance(debug_mode, (int, str)):
        raise TypeError(f"debug_mode must be str or int, but got {type(debug_mode)}")
    if isinstance(debug_mode, str):
        if debug_mode not in _DEBUG_MODES:
            raise RuntimeError(
                f"invalid value of debug_mode, expected one of `default`, `warn`, `error`, but got {debug_mode}"
            )
        debug_mode = _DEBUG_MODES.index(debug_mode)
    if debug_mode not in (0, 1, 2):
        raise RuntimeError(f"invalid value of debug_mode, expected 0, 1, or 2, but got {debug_mode}")
    use_deterministic_algorithms(debug_mode > 0, warn_only=debug_mode == 1)


def get_deterministic_debug_mode() -> int:
    """0, 1 or 2, as set_deterministic_debug_mode() has it."""
    return 0 if not _state["deterministic"] else 1 if _state["warn_only"] else 2


def set_flush_denormal(mode: bool) -> bool:
    """Return True as PyTorch does where it can set tiny numbers to zero; here they are never set to zero."""
    return True


def set_float32_matmul_precision(precision: str) -> None:
    """Remember how precise products of float32 matrices shall be: "highest", "high" or "medium"."""
    _precision[0] = precision


def get_float32_matmul_precision() -> str:
    """Return the precision stored by set_float32_matmul_precision()."""
    return _precision[0]
