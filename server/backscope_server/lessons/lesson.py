"""The parts of a lesson, as they are written and, once its programs have run, with their moments and answers.

The page gets a lesson as the JSON of these models.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from backscope.moments import Place
from backscope_server.lessons.comparable import Value


class Part(BaseModel):
    """The base of all parts: they are never changed, and unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Moment(Part):
    """A moment as it is written, and its place in the recording, None until the program has run."""

    text: str
    place: Place | None = None


class TextBlock(Part):
    """Markdown between blocks."""

    kind: Literal["text"] = "text"
    line: int
    text: str


class ProgramBlock(Part):
    """A program; `source_line` is the line of the file where its source begins, and `raises` the error that ends it."""

    kind: Literal["program"] = "program"
    line: int
    name: str
    source: str
    source_line: int
    seed: int
    raises: str | None


PanelName: TypeAlias = Literal["code", "console", "inspector", "debugger", "timeline"]
"""A panel of the page that a moment can do without."""


class StepBlock(Part):
    """A moment to look at, with a text about it; `hide` has the panels that are not shown with it."""

    kind: Literal["step"] = "step"
    line: int
    program: str
    at: Moment
    text: str
    hide: list[PanelName] = []


USUAL_TITLE = "More about this"
"""The title of an aside that is given none."""


class AsideBlock(Part):
    """A text that the lesson can do without."""

    kind: Literal["aside"] = "aside"
    line: int
    title: str
    text: str


class NamedNode(Part):
    """A node of a recording: its identity there, its class, and the step at which it runs."""

    node: int
    name: str
    step: int | None


class ValueQuestion(Part):
    """A question about the value of an expression; a number may differ from it by `within`."""

    form: Literal["value"] = "value"
    ask: str
    within: float | None
    answer: Value | None = None


class ChoiceOption(Part):
    """An option: its expression, whose value is compared, and the label that the reader sees."""

    line: int
    expression: str
    label: str
    value: Value | None = None


class ChoiceQuestion(Part):
    """One of several options is the value of an expression; `answer` is its index."""

    form: Literal["choice"] = "choice"
    ask: str
    options: list[ChoiceOption]
    answer: int | None = None


class NodeQuestion(Part):
    """A node is to be pointed at."""

    form: Literal["node"] = "node"
    ask: str
    answer: NamedNode | None = None


class OrderQuestion(Part):
    """Nodes are to be put in the order in which they run; `answer` has them in that order."""

    form: Literal["order"] = "order"
    ask: list[str]
    answer: list[NamedNode] | None = None


Question: TypeAlias = Annotated[
    ValueQuestion | ChoiceQuestion | NodeQuestion | OrderQuestion, Field(discriminator="form")
]


class Wrong(Part):
    """The feedback for a wrong answer: the answer as it is written and as it was computed, and the text.

    For a choice `index` is the option.  `nodes` has one node for a node to be pointed at, several for an order.
    """

    line: int
    answer: str
    confusion: str | None
    text: str
    index: int | None = None
    value: Value | None = None
    nodes: list[NamedNode] | None = None


class PredictBlock(Part):
    """A prediction: the question, the feedback for wrong answers, and why the right answer is right.

    `otherwise` is the feedback for all other wrong answers, and `hide` has the panels that are not shown.
    """

    kind: Literal["predict"] = "predict"
    line: int
    program: str
    at: Moment
    text: str
    hide: list[PanelName] = []
    question: Question
    wrong: list[Wrong]
    otherwise: str | None
    right: str


class Missed(Part):
    """The feedback for a change that does not reach its aim: it is for a run in which `check` is true."""

    line: int
    check: str
    confusion: str | None
    text: str


class Edit(Part):
    """The part of a program that may be changed: its numbers, the lines `first` to `last`, or all of it."""

    of: Literal["numbers", "lines", "program"]
    first: int | None = None
    last: int | None = None


class ChangeBlock(Part):
    """A change to try: it is reached by a program whose `check` is true at the moment `at`."""

    kind: Literal["change"] = "change"
    line: int
    program: str
    text: str
    check: str
    at: Moment
    edit: Edit
    missed: list[Missed]
    otherwise: str | None
    right: str
    solution: str
    solution_line: int


Block: TypeAlias = Annotated[
    TextBlock | ProgramBlock | StepBlock | PredictBlock | ChangeBlock | AsideBlock, Field(discriminator="kind")
]


class Headed(Part):
    """The name of a lesson, and what its front matter says of it."""

    name: str
    title: str
    goal: str
    learned: str
    minutes: int
    needs: list[str]


class LessonTitle(Headed):
    """A lesson in the list, with the numbers of its predictions and changes."""

    predictions: int
    changes: int


class Lesson(Headed):
    """A lesson: its front matter and its blocks, in the order of the file; `lines` has the line of each key."""

    lines: dict[str, int]
    blocks: list[Block]

    def program(self, name: str) -> ProgramBlock:
        """Return the program of this name."""
        return next(block for block in self.blocks if isinstance(block, ProgramBlock) and block.name == name)

    @property
    def heading(self) -> LessonTitle:
        """The lesson as lists show it."""
        return LessonTitle(
            **{key: getattr(self, key) for key in Headed.model_fields},
            predictions=sum(isinstance(block, PredictBlock) for block in self.blocks),
            changes=sum(isinstance(block, ChangeBlock) for block in self.blocks),
        )
