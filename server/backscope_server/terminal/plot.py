"""Prints the values of an expression over a run: a curve of characters, and a list of changes."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable
from itertools import pairwise

from backscope.diagnosis.why.answer import many
from backscope_server.session.past.course import Point
from backscope_server.terminal.screen import Screen

_HEIGHT = 8
_FEW = 12
"""The most changes that are listed, the last ones."""
_DECADES = 3
"""Positive numbers that are so many powers of ten apart are drawn by their logarithms."""


class Plot:
    """Draws curves of a run up to the event `last`; `line_of` returns the line of an event."""

    def __init__(self, screen: Screen, last: int, line_of: Callable[[int], int | None]) -> None:
        self._screen = screen
        self._last = last
        self._line_of = line_of

    def show(self, expression: str, points: list[Point]) -> None:
        """Print the curve of one expression."""
        known = [point for point in points if point[2] is not None or point[3] is not None]
        # A tensor and the number that it holds may differ in digits that are not shown.
        shown = known[:1] + [point for before, point in pairwise(known) if _text(before) != _text(point)]
        if not shown:
            self._screen.say(f"{expression} had no value at any moment.")
            return
        numbers = [(seq, float(number)) for _, seq, number, _ in shown if number is not None]
        finite = [(value, seq) for seq, value in numbers if math.isfinite(value)]
        said = f"{expression}: {many(len(shown), 'value')} from event {shown[0][1]} on"
        if len(finite) > 1:
            least, most = min(finite), max(finite, key=lambda one: one[0])
            said += f"; lowest {least[0]:.6g} at event {least[1]}, highest {most[0]:.6g} at event {most[1]}"
        bad = next((seq for seq, value in numbers if not math.isfinite(value)), None)
        self._screen.say(f"{said}{'' if bad is None else f'; the first NaN or Inf at event {bad}'}.", style="strong")
        if len({value for value, _ in finite}) > 1:
            self._draw(points, [value for value, _ in finite])
        self._list(shown)

    def _draw(self, points: list[Point], finite: list[float]) -> None:
        low, high = min(finite), max(finite)
        logarithmic = low > 0 and high / low >= 10**_DECADES
        scale = math.log10 if logarithmic else float
        bottom, top = scale(low), scale(high)
        margin = max(len(f"{low:.4g}"), len(f"{high:.4g}"))
        width = min(self._screen.width - margin - 4, 72)
        rows = [[" "] * width for _ in range(_HEIGHT)]
        seqs = [point[1] for point in points]
        for column in range(width):
            begin, end = (edge * (self._last + 1) // width for edge in (column, column + 1))
            # The value at the beginning of the column, and all values within it.
            first = max(bisect_right(seqs, begin) - 1, 0)
            for _, seq, number, _ in points[first : max(bisect_right(seqs, end - 1), first + 1)]:
                if number is None or seq > max(begin, end - 1):
                    continue
                value = float(number)
                if math.isfinite(value):
                    rows[round((top - scale(value)) / (top - bottom) * (_HEIGHT - 1))][column] = "*"
                else:
                    rows[0][column] = "!"
        for number, row in enumerate(rows):
            label = f"{high:.4g}" if number == 0 else f"{low:.4g}" if number == _HEIGHT - 1 else ""
            self._screen.line(f"  {label:>{margin}} |{''.join(row).rstrip()}")
        ends = f"event 0{f'event {self._last}':>{max(width - 7, 0)}}"
        self._screen.line(f"  {' ' * margin} {' ' if len(ends) <= width else ''}{ends}")
        notes = ["logarithmic"] if logarithmic else []
        notes += ["! is a NaN or Inf"] if any("!" in row for row in rows) else []
        if notes:
            self._screen.say(f"({', '.join(notes)})", style="quiet", indent=" " * (margin + 4))

    def _list(self, shown: list[Point]) -> None:
        if len(shown) > _FEW:
            self._screen.say(f"... {many(len(shown) - _FEW, 'earlier value')}", style="quiet")
        for point in shown[-_FEW:]:
            line = self._line_of(point[1])
            where = "" if line is None else f"line {line}"
            self._screen.line(self._screen.cut(f"  event {point[1]:<6} {where:9} {_text(point)}"))


def _text(point: Point) -> str | None:
    _, _, number, text = point
    return text if number is None else str(number) if isinstance(number, (int, str)) else f"{number:.6g}"
