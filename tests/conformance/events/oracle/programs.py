"""The programs that are compared: the examples, those of the lessons, and those of tests/conformance/programs."""

from __future__ import annotations

import re
from pathlib import Path

from backscope_server.lessons import lesson_file
from backscope_server.lessons.lesson import ProgramBlock

CONFORMANCE = Path(__file__).parents[2]
EXAMPLES = CONFORMANCE.parents[1] / "server" / "backscope_server" / "examples"

ROUNDS = 8
"""What a loop of many rounds is shortened to: its later ones show nothing new, and take most of the time."""
_LONG = re.compile(r"^for (\w+) in range\((?:[2-9]\d|\d{3,})\):", re.MULTILINE)


def programs() -> dict[str, str]:
    """Return the text of each program by its name, e.g. "examples/01_first_backward", with its long loops shortened."""
    return {name: _LONG.sub(rf"for \1 in range({ROUNDS}):", text) for name, text in _texts().items()}


def _texts() -> dict[str, str]:
    found = {f"examples/{path.stem}": path.read_text("utf-8") for path in sorted(EXAMPLES.glob("*.py"))}
    for path in lesson_file.paths():
        for block in lesson_file.read(path).blocks:
            if isinstance(block, ProgramBlock):
                found[f"lessons/{path.stem}/{block.name}"] = block.source
    for path in sorted((CONFORMANCE / "programs").glob("*.py")):
        found[f"programs/{path.stem}"] = path.read_text("utf-8")
    return found
