"""A lesson for a book, which `backscope.docs` runs as a process: the text of a lesson in, what plays and prints it out.

Standard input is the lesson's text, nothing for one of Backscope's own. The arguments are its name and the file that
JSON is written to: `faults`, or `about` and `traces` for its page, and `printed`, what stands for it where nothing
plays.
"""

from __future__ import annotations

import asyncio
import base64
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, TypedDict

from backscope.moments.known_names import one_of
from backscope.protocol.events import OutputPrinted
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


class Part(TypedDict, total=False):
    """A part of what is printed: a text, a program, an output, or a step of a program to be drawn, 1 for the first."""

    kind: Literal["text", "code", "output", "picture"]
    text: str
    trace: int
    step: int


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
    found: dict[str, object] = {}
    if examined.lesson is not None:
        try:
            solved = asyncio.run(_solved(examined.lesson))
            faults += solved.faults
            if not faults:
                about, traces = lesson_page.parts(solved)
                found = {"about": about, "traces": [base64.b64encode(one).decode() for one in traces]}
                found |= {"title": solved.lesson.title, "printed": list(_printed(solved))}
        except (SandboxError, lesson_page.TooLarge) as error:
            print(error, file=sys.stderr)
            return 1
    found["faults"] = [[fault.line, str(fault)] for fault in faults]
    Path(target).write_text(json.dumps(found), encoding="utf-8")
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


def _printed(solved: Solved) -> Iterator[Part]:
    """Yield a lesson as it is read: its texts and programs, a step of each program, and the answers that are values."""
    programs: dict[str, int] = {}
    drawn: set[str] = set()
    recordings = 0
    for block in solved.lesson.blocks:
        match block:
            case ProgramBlock():
                programs[block.name] = recordings
                yield Part(kind="code", text=block.source)
                said = "".join(one.text for one in solved.runs[block.name].run.events if isinstance(one, OutputPrinted))
                if said:
                    yield Part(kind="output", text=said)
            case PredictBlock(question=ValueQuestion(answer=answer)) if answer is not None:
                said = f"`{block.question.ask}` is {written(answer)}. {block.right}"
                yield Part(kind="text", text=f"{block.text}\n\n{said}")
            case PredictBlock():
                yield Part(kind="text", text=f"{block.text}\n\n{block.right}")
            case _:
                yield Part(kind="text", text=block.text)
        if isinstance(block, StepBlock | PredictBlock) and block.program not in drawn and block.at.place is not None:
            drawn.add(block.program)
            yield Part(kind="picture", trace=programs[block.program], step=block.at.place.step + 1)
        recordings += isinstance(block, ProgramBlock | ChangeBlock)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
