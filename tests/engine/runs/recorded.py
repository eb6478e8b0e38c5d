"""What recordings of this process have, and where in a file of tests it came from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import backscope


def line_with(path: Path, mark: str) -> int:
    """The line of a file that ends with a comment."""
    return 1 + next(i for i, line in enumerate(path.read_text().splitlines()) if line.endswith(f"# {mark}"))


def of(trace: backscope.Recording, kind: type) -> list[Any]:
    """The events of a kind."""
    return [event for event in trace.events if isinstance(event, kind)]
