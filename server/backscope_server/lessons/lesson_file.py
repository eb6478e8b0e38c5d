"""Parses the text of a lesson into its blocks, and says at which line something is not as it has to be."""

from __future__ import annotations

from pathlib import Path

from backscope_server.lessons import front_matter
from backscope_server.lessons.block_parts import (
    ATTRIBUTES,
    Items,
    a_moment,
    an_edit,
    an_expression,
    check_attributes,
    code_of,
)
from backscope_server.lessons.fence import Fence, Prose, divide
from backscope_server.lessons.lesson import (
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
from backscope_server.lessons.lesson_error import LessonError, one_of
from backscope_server.lessons.questions import question_of, wrong_answers

FOLDER = Path(__file__).parent / "text"
"""The lessons that come with Backscope."""
MOST_BYTES = 1 << 20
"""The largest size of a lesson's file."""


def paths(folder: Path = FOLDER) -> list[Path]:
    """Return the files of the lessons in a folder, in the order of their names; a README.md is no lesson."""
    return sorted(path for path in folder.glob("*.md") if path.name != "README.md")


def read(path: Path) -> Lesson:
    """Read a lesson from its file.

    Raises: LessonError; OSError.
    """
    with path.open("rb") as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise LessonError(1, f"The file has too many bytes; {MOST_BYTES:,} are the most for a lesson.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise LessonError(line, "The file is not UTF-8 here: save it as UTF-8.") from None
    return parse(path.stem, text)


def parse(name: str, text: str) -> Lesson:
    """Parse the text of a lesson.

    Raises: LessonError.
    """
    lines = text.replace("\r\n", "\n").split("\n")
    front = front_matter.read(lines)
    reader = _Reader()
    for part in divide(lines, front.end + 1):
        reader.take(part)
    reader.end()
    return Lesson(
        name=name,
        title=front.title,
        goal=front.goal,
        learned=front.learned,
        minutes=front.minutes,
        needs=front.needs,
        lines=front.lines,
        blocks=reader.blocks,
    )


class _Reader:
    """Takes the parts of a lesson in their order; a block is about the program before it unless it names one."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._programs: dict[str, int] = {}
        self._program = ""
        self._change: tuple[Fence, Items] | None = None
        """The change whose solution has to come next."""

    def take(self, part: Prose | Fence) -> None:
        """Take the next part.

        Raises: LessonError.
        """
        if isinstance(part, Fence) and part.kind == "solution":
            self._solution(part)
            return
        self.end()
        if isinstance(part, Prose):
            self.blocks.append(TextBlock(line=part.line, text=part.text))
            return
        make = {
            "program": self._a_program,
            "step": self._a_step,
            "predict": self._a_prediction,
            "change": self._a_change,
            "aside": self._an_aside,
        }.get(part.kind)
        if make is None:
            raise LessonError(part.line, f"There is no block {part.kind!r}. {one_of(part.kind, ATTRIBUTES)}")
        check_attributes(part)
        make(part)

    def end(self) -> None:
        """Check that nothing is missing at the end of the lesson or before the next block.

        Raises: LessonError.
        """
        if self._change is not None:
            line = self._change[0].line
            raise LessonError(
                line, "The change has no solution: put a block `solution` with the changed program right after it."
            )

    def _a_program(self, fence: Fence) -> None:
        given = fence.attributes
        name = given.get("name", "program")
        if not name.isidentifier():
            raise LessonError(fence.line, f"The name of a program is a word, as `training`, not {name!r}.")
        if name in self._programs:
            raise LessonError(
                fence.line, f'There is a program {name!r} at line {self._programs[name]}: give this one name="...".'
            )
        seed = given.get("seed", "0")
        if not (seed.isascii() and seed.isdigit() and len(seed) < 16):
            raise LessonError(fence.line, f"`seed` is a whole number from 0 on, not {seed!r}.")
        source, line = code_of(fence)
        self._programs[name], self._program = fence.line, name
        self.blocks.append(
            ProgramBlock(
                line=fence.line,
                name=name,
                source=source,
                source_line=line,
                seed=int(seed),
                raises=given.get("raises"),
            )
        )

    def _a_step(self, fence: Fence) -> None:
        items = Items(fence, ())
        self.blocks.append(
            StepBlock(line=fence.line, program=self._about(fence), at=a_moment(fence, None), text=items.needed_text())
        )

    def _an_aside(self, fence: Fence) -> None:
        items = Items(fence, ())
        title = fence.attributes.get("title", "More about this")
        self.blocks.append(AsideBlock(line=fence.line, title=title, text=items.needed_text()))

    def _a_prediction(self, fence: Fence) -> None:
        items = Items(fence, ("if", "option", "else", "right"))
        question = question_of(fence, items)
        self.blocks.append(
            PredictBlock(
                line=fence.line,
                program=self._about(fence),
                at=a_moment(fence, None),
                text=items.needed_text(),
                question=question,
                wrong=wrong_answers(question, items),
                otherwise=items.one("else"),
                right=items.needed("right", "the sentence that says why the answer is right"),
            )
        )

    def _a_change(self, fence: Fence) -> None:
        self._about(fence)
        self._change = fence, Items(fence, ("if", "else", "right"))

    def _solution(self, fence: Fence) -> None:
        if self._change is None:
            raise LessonError(fence.line, "A solution comes right after its change; there is none before this one.")
        check_attributes(fence)
        change, items = self._change
        self._change = None
        source, line = code_of(fence)
        if "check" not in change.attributes:
            raise LessonError(
                change.line, 'The change has no check="...", an expression that is true when it is reached.'
            )
        self.blocks.append(
            ChangeBlock(
                line=change.line,
                program=self._about(change),
                text=items.needed_text(),
                check=an_expression(change.attributes["check"], change.line),
                at=a_moment(change, "at the end"),
                edit=an_edit(change),
                missed=[
                    Missed(
                        line=one.line,
                        check=an_expression(one.value, one.line),
                        confusion=one.confusion,
                        text=one.feedback(),
                    )
                    for one in items.all("if")
                ],
                otherwise=items.one("else"),
                right=items.needed("right", "the sentence that says why the change reaches its aim"),
                solution=source,
                solution_line=line,
            )
        )

    def _about(self, fence: Fence) -> str:
        """Return the name of the program that a block is about."""
        name = fence.attributes.get("program", self._program)
        if not self._programs:
            raise LessonError(
                fence.line, f"There is no program before this {fence.kind}: put a block `program` above it."
            )
        if name not in self._programs:
            raise LessonError(fence.line, f"There is no program {name!r} above. {one_of(name, self._programs)}")
        return name
