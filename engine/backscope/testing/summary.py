"""`summary.md`: the recordings of a run of tests, as GitHub's step summary shows them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from backscope.diagnosis.why.answer import many
from backscope.testing import trace_folder

NAME = "summary.md"


def write(folder: Path, recorded: Sequence[tuple[str, Path, str | None]]) -> Path:
    """Write the summary of tests: their names, their files, and what is said of those that failed."""
    failed = [(name, path, text) for name, path, text in recorded if text is not None]
    parts = [f"### Backscope: recordings of {many(len(recorded), 'test')}, {len(failed)} failed", ""]
    for name, path, text in failed:
        fence = "```" + "`" * text.count("```")
        parts += [f"<details><summary><code>{name}</code>: <code>{path.name}</code></summary>", ""]
        parts += [fence, text, fence, "</details>", ""]
    target = trace_folder.note(folder, NAME)
    target.write_text("\n".join(parts), encoding="utf-8")
    return target
