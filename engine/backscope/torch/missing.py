"""The error for a name of PyTorch that Backscope lacks: it says so, and what comes nearest."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def missing_name(module: str, name: str, known: Iterable[str]) -> AttributeError:
    """An AttributeError for `module.name` that names up to three similar names."""
    if name.startswith("__"):
        return AttributeError(f"module '{module}' has no attribute '{name}'")
    near = difflib.get_close_matches(name, [k for k in known if not k.startswith("_")], n=3, cutoff=0.6)
    hint = f" What comes nearest: {', '.join(f'{module}.{n}' for n in near)}." if near else ""
    return AttributeError(f"module '{module}' has no attribute '{name}': Backscope does not have it (yet).{hint}")
