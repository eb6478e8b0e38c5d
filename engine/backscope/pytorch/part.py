"""The part of a program that is recorded: some of its modules, some of its steps."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase


class Part:
    """Says whether what happens is recorded.

    `modules` are paths such as "model.encoder" or patterns such as "model.layers.*"; without any, all is.  `steps` is
    the first and the last step, counted from 1: a step ends when the optimizer that steps first has stepped.
    """

    def __init__(self, modules: Sequence[str] = (), steps: tuple[int, int] | None = None) -> None:
        self.modules = tuple(modules)
        self.steps = steps
        self.step = 1
        self.open = steps is None or steps[0] <= 1
        """Whether the step that runs is recorded."""
        self.depth = 0
        """Modules of the part that are being called, one inside the other."""
        self._optimizer: int | None = None

    def has(self, path: str) -> bool:
        """Return True for the path of a module of the part."""
        return any(fnmatchcase(path, one) for one in self.modules)

    @property
    def inside(self) -> bool:
        """Whether ops are recorded now: always, or in a module of the part."""
        return not self.modules or self.depth > 0

    def stepped(self, optimizer: object) -> None:
        """Note that an optimizer has stepped."""
        if self._optimizer is None:
            self._optimizer = id(optimizer)
        if self._optimizer == id(optimizer):
            self.step += 1
            self.open = self.steps is None or self.steps[0] <= self.step <= self.steps[1]


def steps_of(given: int | Sequence[int] | None) -> tuple[int, int] | None:
    """Return first and last step of a number, a pair of them, or a range.

    Raises: ValueError for anything else.
    """
    if given is None:
        return None
    if isinstance(given, int):
        given = (given, given)
    if isinstance(given, range):
        given = (given[0], given[-1]) if given else ()
    if len(given) != 2 or not all(type(number) is int for number in given) or not 1 <= given[0] <= given[1]:
        raise ValueError(f"steps is a number, a first and a last one, or a range of them, from 1 on, not {given!r}")
    return given[0], given[1]
