"""The form of answers: numbers, places and names in sentences, and a diagnosis as text."""

from __future__ import annotations

import math
from collections.abc import Iterable

from backscope.diagnosis.why.log.facts import lines_of
from backscope.protocol import events as ev

MATRIX = 9
"""The most elements of a value with several dims that is shown in full."""

LIT = 500
"""The most lines, nodes and tensors that an answer names."""


def diagnosis(
    cause: str,
    fix: str,
    *,
    wrong_fix: str | None = None,
    lines: Iterable[int | None] = (),
    nodes: Iterable[int | None] = (),
    tensors: Iterable[int | None] = (),
    evidence: Iterable[ev.Evidence] = (),
) -> ev.Diagnosis:
    """Make a diagnosis with each known line and identity once, in the order given."""
    return ev.Diagnosis(
        cause=cause,
        fix=fix,
        lines=lines_of(*lines)[:LIT],
        nodes=lines_of(*nodes)[:LIT],
        tensors=lines_of(*tensors)[:LIT],
        wrong_fix=wrong_fix,
        evidence=list(evidence),
    )


def at(line: int | None) -> str:
    """Return " at line 4", or nothing where the line is unknown."""
    return "" if line is None else f" at line {line}"


def number(value: ev.Number | None) -> str:
    """Format a number of an event with up to four digits."""
    if value is None:
        return "?"
    if isinstance(value, str):
        return {"NaN": "nan", "Infinity": "inf", "-Infinity": "-inf"}[value]
    if isinstance(value, int) or (value == int(value) and abs(value) < 1e6 if math.isfinite(value) else False):
        return str(int(value))
    return f"{value:.4g}"


def element(value: ev.Element) -> str:
    """Format an element, which may be complex."""
    if isinstance(value, list):
        real, imaginary = (number(part) for part in value)
        return f"{real}{'' if imaginary.startswith('-') else '+'}{imaginary}j"
    return number(value)


def values(summary: ev.Summary | None, most: int = 4) -> str:
    """Format the first elements of a value: "3", "[1, 2, 3, ...]" with one dim, "[[1, 2], [3, 4]]" with two."""
    if summary is None:
        return "nothing"
    shape = summary.shape
    count = math.prod(shape)
    if not count:
        return "?" if not shape else "[]" if len(shape) == 1 else f"no elements, shape {shape}"
    if len(shape) > 1 and count <= max(most, MATRIX) and count == len(summary.values):
        return _brackets([element(v) for v in summary.values], shape)
    shown = [element(v) for v in summary.values[:most]]
    if not shape:
        return shown[0] if shown else "?"
    row = shape[-1]
    text = f"[{', '.join(shown[:row])}{', ...' if row > len(shown) else ''}]"
    for dim in shape[-2::-1]:
        text = f"[{text}{', ...' if dim > 1 else ''}]"
    return text


def shown(summary: ev.Summary | None) -> str:
    """Format a value as values() does, and add the norm of one that is not shown whole."""
    if summary is None or math.prod(summary.shape) <= 4 or summary.norm is None or in_full(summary, MATRIX * 6):
        return values(summary)
    return f"{values(summary)} (norm {number(summary.norm)})"


def in_full(summary: ev.Summary, most: int = 28) -> str | None:
    """Format all elements of a small value; None for one that takes more characters than `most`."""
    count = math.prod(summary.shape)
    if not 0 < count <= most or count != len(summary.values):
        return None
    shown = _brackets([element(v) if not isinstance(v, bool) else str(v) for v in summary.values], summary.shape)
    return shown if len(shown) <= most else None


def _brackets(shown: list[str], shape: list[int]) -> str:
    for dim in reversed(shape):
        shown = [f"[{', '.join(shown[at : at + dim])}]" for at in range(0, len(shown), dim)]
    return shown[0]


def many(count: int, one: str, more: str | None = None) -> str:
    """Return a count with its noun: "1 node", "3 nodes"."""
    return f"{count:,} {one if count == 1 else more or one + 's'}"


def amount(nbytes: int) -> str:
    """Format a number of bytes: "512 bytes", "10 MB", "2.5 GB"."""
    for unit, size in (("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10)):
        if nbytes >= size:
            return f"{nbytes / size:.1f}".removesuffix(".0") + f" {unit}"
    return many(nbytes, "byte")


def listed(parts: list[str], word: str = "and") -> str:
    """Join parts into "a", "a and b" or "a, b and c"."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {word} {parts[-1]}" if parts else ""


def text(found: ev.Diagnosis) -> str:
    """Format a diagnosis for a terminal: the cause, its evidence, the fix, and the fix that does not help."""
    parts = [found.cause]
    for one in found.evidence:
        parts.append(f"  {one.text}" + ("" if one.line is None or f"line {one.line}" in one.text else at(one.line)))
    if found.lines:
        parts.append(f"Lines: {', '.join(str(line) for line in found.lines)}")
    parts.append(f"Fix: {found.fix}")
    if found.wrong_fix is not None:
        parts.append(f"Not this: {found.wrong_fix}")
    return "\n".join(parts)
