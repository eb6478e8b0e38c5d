"""Checks lessons: parses their files, runs their programs, and finds what does not hold, by file and line."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from backscope.diagnosis.why.answer import many
from backscope.runtime.known_names import one_of
from backscope_server.lessons import lesson_file
from backscope_server.lessons.lesson import ChangeBlock, PredictBlock, StepBlock
from backscope_server.lessons.lesson_error import LessonError
from backscope_server.lessons.lesson_runs import LessonRuns
from backscope_server.lessons.solving import Solved, solve


class Checked(NamedTuple):
    """A lesson's file, what does not hold in it, and the lesson with its answers unless it could not be parsed."""

    path: Path
    faults: list[LessonError]
    solved: Solved | None

    @property
    def summary(self) -> str:
        """Return how many of each were found to hold: `3 moments, 2 predictions, 1 change`."""
        blocks = [] if self.solved is None else self.solved.lesson.blocks
        kinds = ((StepBlock, "moment"), (PredictBlock, "prediction"), (ChangeBlock, "change"))
        return ", ".join(many(sum(isinstance(block, kind) for block in blocks), noun) for kind, noun in kinds)


def files(given: Iterable[Path]) -> list[Path]:
    """Return the files of lessons that paths name: of a folder all that are in it.

    Raises: FileNotFoundError where a folder has none.
    """
    found: list[Path] = []
    for path in given:
        inside = lesson_file.paths(path) if path.is_dir() else [path]
        if not inside:
            raise FileNotFoundError(2, "there is no lesson, a file that ends in .md, in this folder", str(path))
        found += inside
    return found


async def check(path: Path, runs: LessonRuns) -> Checked:
    """Check the lesson in a file.

    Raises: OSError where the file cannot be read.
    """
    lesson, faults = lesson_file.examine_file(path)
    if lesson is None:
        return Checked(path, faults, None)
    beside = [other.stem for other in lesson_file.paths(path.parent) if other != path]
    missing = [name for name in lesson.needs if name not in beside]
    faults += [
        LessonError(lesson.lines["needs"], f"There is no lesson {name!r} beside this one. {one_of(name, beside)}")
        for name in missing
    ]
    solved = await solve(lesson, runs)
    return Checked(path, faults + solved.faults, solved)
