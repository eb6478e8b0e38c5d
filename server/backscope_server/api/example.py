"""Reads the example programs that the page offers: Python files with their title and summary in the first lines."""

from __future__ import annotations

from pathlib import Path

import msgspec

FOLDER = Path(__file__).parents[1] / "examples"


class Example(msgspec.Struct, frozen=True, kw_only=True):
    """An example program."""

    name: str
    title: str
    summary: str
    source: str


def parse(name: str, text: str) -> Example:
    """Parse the text of an example: `# title: ...`, `# summary: ...`, an empty line, then the program.

    Raises: ValueError where a header line is missing.
    """
    lines = text.splitlines(keepends=True)
    header: dict[str, str] = {}
    for line, key in zip(lines, ("title", "summary"), strict=False):
        prefix = f"# {key}: "
        if not line.startswith(prefix):
            break
        header[key] = line.removeprefix(prefix).strip()
    if len(header) != 2:
        raise ValueError(f"Example {name} has to begin with the lines `# title: ...` and `# summary: ...`.")
    rest = lines[2:]
    if rest and not rest[0].strip():
        rest = rest[1:]
    return Example(name=name, title=header["title"], summary=header["summary"], source="".join(rest))


def load(folder: Path = FOLDER) -> list[Example]:
    """Return all examples in the order of their file names; the first is the default."""
    files = sorted(path for path in folder.glob("*.py") if path.name != "__init__.py")
    return [parse(path.stem, path.read_text(encoding="utf-8")) for path in files]
