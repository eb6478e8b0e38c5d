"""Why a trace file could not be opened, on standard error."""

from __future__ import annotations

import sys
from pathlib import Path


def print_trace_error(path: Path, error: Exception) -> None:
    """Print that a file cannot be read, for an OSError, else what is wrong with the trace in it."""
    if isinstance(error, OSError):
        print(f"backscope: cannot read {path}: {error.strerror or error}", file=sys.stderr)
    else:
        print(f"backscope: {path}: {error}", file=sys.stderr)
