"""Solves a lesson for a book, in a process that `backscope.docs.lesson` starts.

Standard input is the lesson's text, nothing for one of Backscope's own. The arguments are its name and the file that a
`backscope.docs.lesson.Solved` is written to as JSON.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator

import msgspec

from backscope.docs import lesson as book
from backscope.protocol.events import OutputPrinted
from backscope.protocol.whole_file import whole_file
from backscope.runtime.known_names import one_of
from backscope_server.api import lesson_page
from backscope_server.lessons import lesson_file
from backscope_server.lessons.comparable import written
from backscope_server.lessons.lesson import (
    ChangeBlock,
    Lesson,
    PredictBlock,
    ProgramBlock,
    StepBlock,
    ValueQuestion,
)
from backscope_server.lessons.lesson_runs import LessonRuns
from backscope_server.lessons.solving import Solved, solve
from backscope_server.sandbox.launcher import Launcher, SandboxError
from backscope_server.settings import Settings


def main(name: str, target: str) -> int:
    """Solve the lesson of standard input and write what a book needs of it; return the exit status."""
    text = sys.stdin.read()
    if not text:
        own = {path.stem: path for path in lesson_file.paths()}
        if name not in own:
            print(f"there is no file and no lesson of Backscope's named {name!r}. {one_of(name, own)}", file=sys.stderr)
            return 1
        text = own[name].read_text(encoding="utf-8")
    examined = lesson_file.examine(name, text)
    faults = list(examined.faults)
    found = book.Solved(faults=[])
    if examined.lesson is not None:
        try:
            solved = asyncio.run(_solved(examined.lesson))
        except SandboxError as error:
            print(error, file=sys.stderr)
            return 1
        faults += solved.faults
        if not faults:
            found.title, found.printed = solved.lesson.title, list(_printed(solved))
            found.about, found.traces = lesson_page.parts(solved)
    found.faults = [(fault.line, str(fault)) for fault in faults]
    # What is at the target is taken for whole by the builds that follow.
    with whole_file(target) as file:
        file.write(msgspec.json.encode(found))
    return 0


async def _solved(lesson: Lesson) -> Solved:
    settings = Settings()
    launcher = Launcher(limited=settings.limited)
    try:
        await launcher.start()
        async with LessonRuns(launcher, settings.limits()) as runs:
            return await solve(lesson, runs)
    finally:
        await launcher.close()


def _printed(solved: Solved) -> Iterator[book.Part]:
    """Yield a lesson as it is read: its texts and programs, a step of each program, and the answers that are values."""
    programs: dict[str, int] = {}
    drawn: set[str] = set()
    recordings = 0
    for block in solved.lesson.blocks:
        match block:
            case ProgramBlock():
                programs[block.name] = recordings
                yield book.Part(kind="code", text=block.source)
                said = "".join(one.text for one in solved.runs[block.name].run.events if isinstance(one, OutputPrinted))
                if said:
                    yield book.Part(kind="output", text=said)
            case PredictBlock(question=ValueQuestion(answer=answer)) if answer is not None:
                said = f"`{block.question.ask}` is {written(answer)}. {block.right}"
                yield book.Part(kind="text", text=f"{block.text}\n\n{said}")
            case PredictBlock():
                yield book.Part(kind="text", text=f"{block.text}\n\n{block.right}")
            case _:
                yield book.Part(kind="text", text=block.text)
        if isinstance(block, StepBlock | PredictBlock) and block.program not in drawn and block.at.place is not None:
            drawn.add(block.program)
            yield book.Part(kind="picture", trace=programs[block.program], step=block.at.place.step + 1)
        recordings += isinstance(block, ProgramBlock | ChangeBlock)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
