"""Parses the text of a lesson into its blocks, and finds all mistakes in its writing with their lines."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from backscope.runtime.known_names import meant, one_of, quoted
from backscope_server.lessons import front_matter
from backscope_server.lessons.block_parts import (
    ATTRIBUTES,
    Item,
    Items,
    a_moment,
    an_edit,
    an_expression,
    code_of,
    hidden_panels,
    known_attributes,
)
from backscope_server.lessons.fence import Fence, Prose, divide
from backscope_server.lessons.lesson import (
    USUAL_TITLE,
    AsideBlock,
    Block,
    ChangeBlock,
    Lesson,
    Missed,
    PredictBlock,
    ProgramBlock,
    StepBlock,
    TextBlock,
)
from backscope_server.lessons.lesson_error import Faults, LessonError, TooManyFaults
from backscope_server.lessons.questions import question_of, wrong_answers

FOLDER = Path(__file__).parent / "text"
"""The lessons that come with Backscope."""
FORMAT = Path(__file__).with_name("FORMAT.md")
"""The document that says how lessons are written."""
MOST_BYTES = 1 << 20
"""The largest size of a lesson's file."""


def paths(folder: Path = FOLDER) -> list[Path]:
    """Return the files of the lessons in a folder, in the order of their names; a README.md is no lesson."""
    return sorted(path for path in folder.glob("*.md") if path.name != "README.md" and not path.is_dir())


class Written(NamedTuple):
    """The lesson of a file, None where there are mistakes in its writing, and these in the order of their lines."""

    lesson: Lesson | None
    faults: list[LessonError]


def read(path: Path) -> Lesson:
    """Read a lesson from its file.

    Raises: LessonError, the first mistake in its writing; OSError.
    """
    return _sound(examine_file(path))


def parse(name: str, text: str) -> Lesson:
    """Parse the text of a lesson.

    Raises: LessonError, the first mistake in its writing.
    """
    return _sound(examine(name, text))


def check_is_file(path: Path, reason: str = "it is no file") -> None:
    """Check that a path is a file, which can be read without waiting for a writer, as a pipe cannot.

    Raises: OSError, with `reason` where there is something else.
    """
    if not path.is_file():
        path.stat()  # The error of a path without anything.
        raise OSError(0, reason, str(path))


def examine_file(path: Path) -> Written:
    """Read a lesson from its file and find all mistakes in its writing.

    Raises: OSError.
    """
    check_is_file(path)
    with path.open("rb") as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        fault = LessonError(
            1, f"The file has too many bytes; {MOST_BYTES:,} are the most for a lesson: make two of it."
        )
        return Written(None, [fault])
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        return Written(None, [LessonError(line, "The file is not UTF-8 here: save it as UTF-8.")])
    return examine(path.stem, text)


def examine(name: str, text: str) -> Written:
    """Parse the text of a lesson and find all mistakes in its writing."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    faults = Faults()
    front: front_matter.FrontMatter | None = None
    reader = _Reader(faults)
    more: list[LessonError] = []
    try:
        front, behind = front_matter.read(lines, faults)
        for part in divide(lines, behind, faults):
            reader.take(part)
        reader.end()
    except TooManyFaults:
        more = [LessonError(len(lines), "There are more mistakes: mend those above first.")]
    if front is None or faults.found:
        return Written(None, sorted(faults.found, key=lambda fault: fault.line) + more)
    lesson = Lesson(
        name=name,
        title=front.title,
        goal=front.goal,
        learned=front.learned,
        minutes=front.minutes,
        needs=front.needs,
        lines=front.lines,
        blocks=reader.blocks,
    )
    return Written(lesson, [])


def _sound(written: Written) -> Lesson:
    if written.lesson is None:
        raise written.faults[0]
    return written.lesson


class _Reader:
    """Takes the parts of a lesson in their order; a block is about the program before it unless it names one.

    Once a mistake has been found no more is added to `blocks`, and the rest is read for its mistakes. A block with a
    mistake still counts for what follows it: a program can be named, a change has its solution.
    """

    def __init__(self, faults: Faults) -> None:
        self.blocks: list[Block] = []
        self._faults = faults
        self._programs: dict[str, int] = {}
        self._program = ""
        self._change: tuple[int, dict[str, Any] | None] | None = None
        """The line of the change whose solution has to come next, and its fields, None after a mistake."""

    def take(self, part: Prose | Fence) -> None:
        """Take the next part."""
        if isinstance(part, Prose):
            self.end()
            self.blocks.append(TextBlock(line=part.line, text=part.text))
            return
        if part.kind not in ATTRIBUTES:
            guess = meant(part.kind, ATTRIBUTES)
            if part.sound:
                self._faults.add(part.line, f"There is no block {quoted(part.kind)}. {one_of(part.kind, ATTRIBUTES)}")
            if guess is None:
                self.end()
                return
            part = msgspec.structs.replace(part, kind=guess)
        if part.sound:
            part = known_attributes(part, self._faults)
        if part.kind != "solution":
            self.end()
        {
            "program": self._a_program,
            "step": self._a_step,
            "predict": self._a_prediction,
            "change": self._a_change,
            "solution": self._a_solution,
            "aside": self._an_aside,
        }[part.kind](part)

    def end(self) -> None:
        """Check that no solution is missing at the end of the lesson or before the next block."""
        if self._change is not None:
            line, self._change = self._change[0], None
            self._faults.add(
                line, "The change has no solution: put a block `solution` with the changed program right after it."
            )

    def _fields(self, fence: Fence, **made: Callable[[], Any]) -> dict[str, Any] | None:
        """Make the fields of a block, each by its function; None where a mistake has been found by then.

        In a block whose first line has a mistake already, fields of attributes cannot be made, so none are.
        """
        if not fence.sound:
            return None
        fields = {name: self._faults.attempt(make) for name, make in made.items()}
        return None if self._faults.found else {"line": fence.line, **fields}

    def _a_program(self, fence: Fence) -> None:
        given = fence.attributes
        name = given.get("name", "program")
        if not name.isidentifier():
            self._faults.add(fence.line, f"The name of a program is a word, as `training`, not {quoted(name)}.")
        if name in self._programs:
            first = self._programs[name]
            self._faults.add(
                fence.line, f'There is a program {quoted(name)} at line {first}: give this one name="...".'
            )
        seed = given.get("seed", "0")
        if not (seed.isascii() and seed.isdigit() and len(seed) < 16):
            self._faults.add(fence.line, f"`seed` is a whole number from 0 on, not {quoted(seed)}.")
        self._programs.setdefault(name, fence.line)
        self._program = name
        code = self._faults.attempt(lambda: code_of(fence))
        if code is not None and not self._faults.found:
            self.blocks.append(
                ProgramBlock(
                    line=fence.line,
                    name=name,
                    source=code[0],
                    source_line=code[1],
                    seed=int(seed),
                    raises=given.get("raises"),
                )
            )

    def _a_step(self, fence: Fence) -> None:
        items = Items(fence, (), self._faults)
        fields = self._fields(
            fence,
            program=lambda: self._about(fence),
            at=lambda: a_moment(fence, None),
            text=items.needed_text,
            hide=lambda: hidden_panels(fence),
        )
        if fields is not None:
            self.blocks.append(StepBlock(**fields))

    def _an_aside(self, fence: Fence) -> None:
        items = Items(fence, (), self._faults)
        fields = self._fields(fence, text=items.needed_text)
        if fields is not None:
            self.blocks.append(AsideBlock(title=fence.attributes.get("title", USUAL_TITLE), **fields))

    def _a_prediction(self, fence: Fence) -> None:
        faults = self._faults
        items = Items(fence, ("if", "option", "else", "right"), faults)
        question = question_of(fence, items, faults) if fence.sound else None
        wrong = wrong_answers(question, items, faults)
        fields = self._fields(
            fence,
            program=lambda: self._about(fence),
            at=lambda: a_moment(fence, None),
            text=items.needed_text,
            hide=lambda: hidden_panels(fence),
            otherwise=lambda: items.one("else"),
            right=lambda: items.needed("right", "the sentence that says why the answer is right"),
        )
        if fields is not None and question is not None:
            self.blocks.append(PredictBlock(question=question, wrong=wrong, **fields))

    def _a_change(self, fence: Fence) -> None:
        items = Items(fence, ("if", "else", "right"), self._faults)
        missed = [self._faults.attempt(partial(_a_miss, one)) for one in items.all("if")]
        fields = self._fields(
            fence,
            program=lambda: self._about(fence),
            text=items.needed_text,
            check=lambda: _a_check(fence),
            at=lambda: a_moment(fence, "at the end"),
            edit=lambda: an_edit(fence),
            otherwise=lambda: items.one("else"),
            right=lambda: items.needed("right", "the sentence that says why the change reaches its aim"),
        )
        self._change = fence.line, None if fields is None else {**fields, "missed": missed}

    def _a_solution(self, fence: Fence) -> None:
        code = self._faults.attempt(lambda: code_of(fence))
        if self._change is None:
            self._faults.add(fence.line, "A solution comes right after its change; there is none before this one.")
            return
        fields, self._change = self._change[1], None
        if fields is not None and code is not None:
            self.blocks.append(ChangeBlock(solution=code[0], solution_line=code[1], **fields))

    def _about(self, fence: Fence) -> str:
        """Return the name of the program that a block is about.

        Raises: LessonError.
        """
        name = fence.attributes.get("program", self._program)
        if not self._programs:
            raise LessonError(
                fence.line, f"There is no program before this {fence.kind}: put a block `program` above it."
            )
        if name not in self._programs:
            raise LessonError(fence.line, f"There is no program {quoted(name)} above. {one_of(name, self._programs)}")
        return name


def _a_check(fence: Fence) -> str:
    if "check" not in fence.attributes:
        raise LessonError(fence.line, 'The change has no check="...", an expression that is true when it is reached.')
    return an_expression(fence.attributes["check"], fence.line)


def _a_miss(item: Item) -> Missed:
    check = an_expression(item.value, item.line)
    return Missed(line=item.line, check=check, confusion=item.confusion, text=item.feedback())
