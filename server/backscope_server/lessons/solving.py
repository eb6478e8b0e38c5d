"""Runs the programs of a lesson and computes its moments and answers; lists what does not hold."""

from __future__ import annotations

from backscope.moments import Place, moment_search
from backscope.moments.moment_search import NotFound
from backscope_server.lessons import node_search
from backscope_server.lessons.comparable import NotComparable, Value, same, value_of, written
from backscope_server.lessons.judging import Evaluate, attempt_of, judge
from backscope_server.lessons.lesson import (
    Block,
    ChangeBlock,
    ChoiceQuestion,
    Lesson,
    Moment,
    NamedNode,
    NodeQuestion,
    OrderQuestion,
    PredictBlock,
    ProgramBlock,
    StepBlock,
    ValueQuestion,
    Wrong,
)
from backscope_server.lessons.lesson_error import LessonError
from backscope_server.lessons.lesson_runs import LessonRun, LessonRuns, NotEvaluated
from backscope_server.lessons.program_edit import why_not

_REFUSED = ("PermissionError", "EOFError")
"""The errors by which the sandbox refuses a file or a network, and of a program that reads input."""


class Solved:
    """A lesson with its moments and answers, the runs of its programs by name, and what does not hold in it.

    `solutions` has the run of each change's solution, by the line of the change.
    """

    def __init__(self, lesson: Lesson) -> None:
        self.lesson = lesson
        self.runs: dict[str, LessonRun] = {}
        self.solutions: dict[int, LessonRun] = {}
        self.faults: list[LessonError] = []


async def solve(lesson: Lesson, runs: LessonRuns) -> Solved:
    """Run the programs of a lesson and compute its moments and answers."""
    solved = Solved(lesson)
    blocks: list[Block] = []
    for block in lesson.blocks:
        if isinstance(block, ProgramBlock):
            await _run(block, solved, runs)
        elif (
            isinstance(block, (StepBlock, PredictBlock, ChangeBlock))
            and (run := solved.runs.get(block.program)) is not None
        ):
            try:
                block = await _solve(block, lesson.program(block.program), run, solved, runs)
            except LessonError as fault:
                solved.faults.append(fault)
        blocks.append(block)
    solved.lesson = lesson.model_copy(update={"blocks": blocks})
    solved.faults.sort(key=lambda fault: fault.line)
    return solved


async def _run(program: ProgramBlock, solved: Solved, runs: LessonRuns) -> None:
    """Run a program; it is left out of `solved` where it does not end as the lesson says."""
    run = await runs.run(program.source, program.seed)
    error, line = run.error, program.line
    if error is None and run.status == "ok":
        if program.raises is None:
            solved.runs[program.name] = run
            return
        fault = f'The program ends without an error, and raises="{program.raises}" says that there is one: remove it.'
    elif error is None:
        fault = f"The program was ended with the status {run.status!r}."
    else:
        if error.type == program.raises:
            solved.runs[program.name] = run
            return
        line = line if error.line is None else program.source_line + error.line - 1
        said = f"{error.type}: {error.message}".strip().split("\n")[0].rstrip(".") + "."
        where = " where that is meant" if program.raises is None else ""
        fails = "fails" if program.raises is None else f"fails otherwise than by {program.raises}"
        # A program of a lesson ends by itself, before a limit does it.
        if error.type.endswith("LimitExceeded"):
            advice = ""
        elif error.type in _REFUSED:
            advice = " A program of a lesson reads no files, has no network and no input: write into it what it needs."
        else:
            advice = f' Mend it, or write raises="{error.type}"{where}.'
        fault = f"The program {fails}: {said}{advice}"
    solved.faults.append(LessonError(line, fault))


async def _solve(
    block: StepBlock | PredictBlock | ChangeBlock,
    program: ProgramBlock,
    run: LessonRun,
    solved: Solved,
    runs: LessonRuns,
) -> StepBlock | PredictBlock | ChangeBlock:
    if isinstance(block, ChangeBlock):
        await _check_change(block, program, run, solved, runs)
        try:
            return block.model_copy(update={"at": await _placed(block.at, run)})
        except NotFound:  # Only the changed program has the moment.
            return block
    try:
        block = block.model_copy(update={"at": await _placed(block.at, run)})
    except NotFound as error:
        raise LessonError(block.line, str(error)) from None
    return block if isinstance(block, StepBlock) else await _Answering(block, run, solved.faults).answered()


async def _placed(at: Moment, run: LessonRun) -> Moment:
    return Moment(text=at.text, place=await run.call(moment_search.find, run.run, at.text))


async def value_at(at: Moment, expression: str, line: int, evaluate: Evaluate) -> Value:
    """Return the value of an expression at a moment of a run, as a reader can type it.

    Raises: LessonError, at `line`, where it has none.
    """
    assert at.place is not None
    try:
        return value_of(await evaluate(at.place.read_seq, expression))
    except NotEvaluated as error:
        raise LessonError(line, f"`{expression}` has no value {at.text}: {error}") from None
    except NotComparable as error:
        raise LessonError(
            line, f"`{expression}` is {error}, which no reader can type: ask for a number, a tensor or a text."
        ) from None


class _Answering:
    """Computes the answer of a prediction and those of its feedback."""

    def __init__(self, block: PredictBlock, run: LessonRun, faults: list[LessonError]) -> None:
        assert block.at.place is not None
        self._block = block
        self._place: Place = block.at.place
        self._run = run
        self._faults = faults

    async def answered(self) -> PredictBlock:
        """Return the prediction with its answers.

        Raises: LessonError where its answer cannot be computed.
        """
        block, question = self._block, self._block.question
        match question:
            case ValueQuestion():
                answer = await self._value(block.line, question.ask)
                wrong = [await self._wrong_value(one, answer, question.within) for one in block.wrong]
                question = question.model_copy(update={"answer": answer})
            case ChoiceQuestion():
                question = await self._chosen(question)
                wrong = block.wrong
                for one in wrong:
                    if one.index == question.answer:
                        self._fault(
                            one.line, f"The option {one.answer!r} is the right answer: its text belongs to `right`."
                        )
            case NodeQuestion():
                node = await self._node(block.line, question.ask)
                wrong = [await self._wrong_nodes(one, [node]) for one in block.wrong]
                question = question.model_copy(update={"answer": node})
            case OrderQuestion():
                nodes = await self._order(block.line, question.ask)
                wrong = [await self._wrong_nodes(one, nodes) for one in block.wrong]
                question = question.model_copy(update={"answer": nodes})
        return block.model_copy(update={"question": question, "wrong": wrong})

    def _fault(self, line: int, message: str) -> None:
        self._faults.append(LessonError(line, message))

    async def _value(self, line: int, expression: str) -> Value:
        return await value_at(self._block.at, expression, line, self._run.evaluate)

    async def _wrong_value(self, one: Wrong, answer: Value, within: float | None) -> Wrong:
        try:
            value = await self._value(one.line, one.answer)
        except LessonError as fault:
            self._faults.append(fault)
            return one
        if same(value, answer, within):
            self._fault(
                one.line, f"`{one.answer}` is {written(answer)}, the right answer, and has feedback for a wrong one."
            )
        return one.model_copy(update={"value": value})

    async def _chosen(self, question: ChoiceQuestion) -> ChoiceQuestion:
        answer = await self._value(self._block.line, question.ask)
        options = [
            one.model_copy(update={"value": await self._value(one.line, one.expression)}) for one in question.options
        ]
        right = [at for at, one in enumerate(options) if one.value is not None and same(one.value, answer)]
        if len(right) != 1:
            lines = " and ".join(str(options[at].line) for at in right)
            several = "no option has that value" if not right else f"the options at lines {lines} have that value"
            raise LessonError(
                self._block.line,
                f"`{question.ask}` is {written(answer)}, and {several}: exactly one has to be right.",
            )
        if self._block.otherwise is None:
            explained = {one.index for one in self._block.wrong}
            for at, one in enumerate(options):
                if at not in explained and at != right[0]:
                    self._fault(
                        one.line, f"The option {one.label!r} is wrong and has no feedback: say why it is wrong."
                    )
        return question.model_copy(update={"options": options, "answer": right[0]})

    async def _node(self, line: int, name: str) -> NamedNode:
        try:
            return await self._run.call(node_search.find, self._run.run, self._place.seq, name)
        except NotFound as error:
            raise LessonError(line, str(error)) from None

    async def _order(self, line: int, names: list[str]) -> list[NamedNode]:
        try:
            nodes = [await self._node(line, name) for name in names]
            return await self._run.call(node_search.in_order, self._run.run, nodes)
        except NotFound as error:
            raise LessonError(line, str(error)) from None

    async def _wrong_nodes(self, one: Wrong, answer: list[NamedNode]) -> Wrong:
        try:
            nodes = [await self._node(one.line, name) for name in one.answer.split(", ")]
        except LessonError as fault:
            self._faults.append(fault)
            return one
        numbers = [node.node for node in nodes]
        if numbers == [node.node for node in answer]:
            self._fault(one.line, f"{one.answer!r} is the right answer, and has feedback for a wrong one.")
        elif len(answer) > 1 and sorted(numbers) != sorted(node.node for node in answer):
            self._fault(one.line, f"{one.answer!r} is no order of the nodes that are to be arranged.")
        return one.model_copy(update={"nodes": nodes})


async def _check_change(
    change: ChangeBlock, program: ProgramBlock, run: LessonRun, solved: Solved, runs: LessonRuns
) -> None:
    """Check that a change is not reached by the program as it is, and is by its solution."""
    before = await judge(change, await run.call(attempt_of, change, run), run.evaluate)
    if before.reached:
        raise LessonError(
            change.line, f"`{change.check}` is true already in the program as it is: nothing is to be changed."
        )
    if program.raises is None and before.problem is not None:
        raise LessonError(change.line, before.problem)
    changed = solved.solutions[change.line] = await runs.run(change.solution, program.seed)
    attempt = await changed.call(attempt_of, change, changed, program)
    verdict = await judge(change, attempt, changed.evaluate)
    if not verdict.reached:
        reason = verdict.problem or f"`{change.check}` is not true {change.at.text}."
        if why_not(program.source, change.solution, change.edit) is not None:
            reason += " Or say with `edit` what may change."
        solved.faults.append(LessonError(change.solution_line, f"The solution does not reach the change: {reason}"))
