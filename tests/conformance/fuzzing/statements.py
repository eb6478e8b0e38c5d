"""Programs as trees of statements, which can be written as text and made smaller."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Statement:
    """A line, or the head of a block with its statements."""

    text: str
    body: tuple[Statement, ...] = ()

    def lines(self, indent: str = "") -> list[str]:
        """Return its lines of text."""
        found = [indent + self.text]
        for inner in self.body:
            found += inner.lines(indent + "    ")
        if self.text.endswith(":") and not self.body:
            found.append(indent + "    pass")
        return found

    def source(self) -> str:
        """Return its text."""
        return "\n".join(self.lines())

    def smaller(self) -> Iterator[Statement]:
        """Yield copies with one statement less in them, or without the head of an inner block."""
        for i, inner in enumerate(self.body):
            before, after = self.body[:i], self.body[i + 1 :]
            if not inner.text.startswith("return "):
                yield replace(self, body=before + after)
            if inner.body and inner.text.startswith(("with ", "if True:")):
                yield replace(self, body=before + inner.body + after)
            for less in inner.smaller():
                yield replace(self, body=(*before, less, *after))


@dataclass(frozen=True)
class Program:
    """Statements that are run one after the other, whatever errors they end with."""

    statements: tuple[Statement, ...]

    def text(self) -> str:
        """Return the whole program."""
        return "\n".join(s.source() for s in self.statements)

    def smaller(self) -> Iterator[Program]:
        """Yield programs with one statement less, or with less in one of them."""
        for i, statement in enumerate(self.statements):
            before, after = self.statements[:i], self.statements[i + 1 :]
            yield Program(before + after)
            if statement.body and statement.text.startswith(("with ", "if True:")):
                yield Program(before + statement.body + after)
            for less in statement.smaller():
                yield Program((*before, less, *after))
