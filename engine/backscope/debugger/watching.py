"""Evaluates watched expressions after each moment of a run and reports the changes of their values."""

from __future__ import annotations

import ast
import builtins
import contextlib
import io
import sys
from collections.abc import Callable, Sequence
from types import CodeType, FrameType
from typing import TypeAlias, cast

import numpy as np

from backscope.debugger.expression import NotAnExpression, parsed
from backscope.debugger.own_work import OwnWork
from backscope.debugger.recording import Recording
from backscope.debugger.tensors import Tensors
from backscope.diagnosis.user_frame import forget, user_stack
from backscope.protocol.commands import UnusableWatch, WatchChange
from backscope.protocol.field_types import Number
from backscope.recorder import narration as say
from backscope.summary.json_numbers import element, number

LONGEST_TEXT = 200
FEW_ELEMENTS = 16
"""A tensor with more elements is shown by its shape: the texts of its values would take longer than the program."""
LARGEST_NUMBER = 2**53
REPORTED = 256
"""Changes that are reported together."""


Sampled: TypeAlias = tuple[Number | None, str | None]
"""A value as a number, or else as a text; two None where there is no value."""
_NOTHING: Sampled = (None, None)


class Watching:
    """Evaluates the watched expressions whenever `sample` is called, and reports changes, some at a time.

    A name is that of the program's globals; else of the outermost function on the stack that has it, so that a curve
    stays with one variable.  `active` is False without expressions.
    """

    def __init__(self, recorder: Recording, own_work: OwnWork, tensors: Tensors) -> None:
        self.active = False
        self._recorder = recorder
        self._tensors = tensors
        self._own_work = own_work
        self._report: Callable[[list[WatchChange]], None] = lambda changes: None
        self._codes: list[tuple[int, CodeType]] = []
        self._names: list[str] = []
        self._calls = False
        """True if an expression calls a function, which may draw random numbers or print."""
        self._known: list[Sampled] = []
        self._changes: list[WatchChange] = []

    def set(self, expressions: Sequence[str], report: Callable[[list[WatchChange]], None]) -> list[UnusableWatch]:
        """Watch these expressions and no others, give changes to `report`, and return those that are no expressions."""
        self.active = bool(expressions)
        self._report = report
        self._codes = []
        self._known = [_NOTHING] * len(expressions)
        self._changes = []
        unusable: list[UnusableWatch] = []
        trees: list[ast.Expression] = []
        for watch, expression in enumerate(expressions):
            try:
                tree = parsed(expression)
            except NotAnExpression as error:
                unusable.append(UnusableWatch(watch=watch, reason=str(error)))
                continue
            trees.append(tree)
            self._codes.append((watch, compile(tree, "<watch>", "eval")))
        nodes = [node for tree in trees for node in ast.walk(tree)]
        self._names = sorted({node.id for node in nodes if isinstance(node, ast.Name)})
        self._calls = any(isinstance(node, ast.Call) for node in nodes)
        return unusable

    def sample(self) -> None:
        """Evaluate the expressions in the program that calls this, and note those with another value than before."""
        with self._own_work:
            names = self._variables(sys._getframe(1))
            with contextlib.ExitStack() as unchanged:
                if self._calls:
                    unchanged.enter_context(self._tensors.drawn_again())
                    unchanged.enter_context(contextlib.redirect_stdout(io.StringIO()))
                for watch, code in self._codes:
                    try:
                        value = _sampled(eval(code, names), self._tensors)
                    except Exception:
                        value = _NOTHING
                    if value != self._known[watch]:
                        self._known[watch] = value
                        self._recorder.journal.add(say.sampled, None, self._note(watch, value))

    def flush(self) -> None:
        """Report the changes that were drained so far."""
        if self._changes:
            changes, self._changes = self._changes, []
            self._report(changes)

    def _note(self, watch: int, value: Sampled) -> Callable[[int], None]:
        """Return a function that adds a change, once it is known how many events came before it."""

        def note(seq: int) -> None:
            self._changes.append(WatchChange(watch=watch, seq=seq, number=value[0], text=value[1]))
            if len(self._changes) >= REPORTED:
                self.flush()

        return note

    def _variables(self, frame: FrameType) -> dict[str, object]:
        """Return the variables that the expressions name."""
        space = self._recorder.code.user_globals or {}
        names = {name: space[name] for name in self._names if name in space}
        names["__builtins__"] = builtins
        if len(names) <= len(self._names):
            missing = [name for name in self._names if name not in names and not hasattr(builtins, name)]
            for outer in reversed(user_stack(frame, self._recorder.code).frames if missing else ()):
                if outer.f_locals is not space:
                    variables = outer.f_locals
                    names |= {name: variables[name] for name in missing if name in variables and name not in names}
                    forget(outer)
        return names


def _sampled(value: object, tensors: Tensors) -> Sampled:
    """Return a value as a number, or else as a text."""
    if tensors.is_tensor(value):
        array = tensors.few_elements(value, FEW_ELEMENTS)
        if array is None:
            return None, f"Tensor of shape {list(value.shape)}"  # type: ignore[attr-defined]
        if array.size == 1 and array.dtype.kind != "c":
            return _number(array.reshape(-1)[0]), None
        value = array.tolist()
    if isinstance(value, (np.floating, np.integer)):
        return _number(value), None
    if value.__class__ is float:
        return number(value), None
    if value.__class__ is int and -LARGEST_NUMBER <= value <= LARGEST_NUMBER:
        return value, None
    if isinstance(value, np.ndarray) and value.size > FEW_ELEMENTS:
        return None, f"array of shape {list(value.shape)}"
    text = repr(value)
    text = text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 3] + "..."
    return None, text.encode("utf-8", "backslashreplace").decode()


def _number(real: np.generic) -> Number:
    return cast("Number", element(real))
