"""Inspection of a paused program: evaluates expressions, lists variables, reads tensors, and assigns to them."""

from __future__ import annotations

import ast
import contextlib
import ctypes
import inspect
import io
import random
import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import numpy as np

from backscope.debugger.attribution.gradient_trace import Starting, Untraced
from backscope.debugger.tensor_search import find_tensor
from backscope.diagnosis.user_frame import Stack, evaluate, forget, in_inlined_comprehension, variables_of
from backscope.protocol import commands as c
from backscope.random import default_generator
from backscope.recorder import narration as say
from backscope.recorder.recorder import Recorder
from backscope.summary.statistics import measure
from backscope.summary.summary import element, summarize
from backscope.tensor.dtype import dtype
from backscope.tensor.meta import MetaArray
from backscope.tensor.sparse_values import Sparse
from backscope.tensor.tensor import Tensor

LONGEST_TEXT = 4096
"""Characters that are shown of a text."""
SHORT_TEXT = 200
"""Characters that are shown of each variable in a list."""
MOST_VARIABLES = 200
MOST_ELEMENTS = 16_384

_VALUE = "__backscope_value__"


Evaluating = Callable[[], contextlib.AbstractContextManager[None]]
"""A context for running the user's code: only inside may a KeyboardInterrupt end the command."""


class NotInspectable(ValueError):
    """A value cannot be shown or changed; the text says why."""


def look(
    command: c.Evaluate | c.ListLocals | c.ReadTensor | c.MeasureTensor | c.TraceGradient,
    stack: Stack,
    recorder: Recorder,
    evaluating: Evaluating,
    starting: Starting | None = None,
) -> c.Answer:
    """Answer a question about the paused program; `starting` is the pass that is about to run, if one is.

    Raises: NotInspectable.
    """
    if isinstance(command, c.TraceGradient):
        return _trace(command, starting)
    if isinstance(command, c.ReadTensor):
        return _read(command, recorder)
    if isinstance(command, c.MeasureTensor):
        tensor, array = _elements(command, recorder)
        with np.errstate(all="ignore"):
            return measure(command, array, tensor.storage_offset() if tensor is not None else 0)
    frame = _frame(stack, command.frame)
    if isinstance(command, c.ListLocals):
        return _list(command, frame, stack.at[command.frame], recorder, evaluating)
    with _unchanged(), contextlib.redirect_stdout(io.StringIO()) as printed, evaluating():
        value = _value(command.expression, frame)
        seen = _look(value, recorder, LONGEST_TEXT)
    return c.Evaluated(id=command.id, look=seen, output=_clean(printed.getvalue()[:LONGEST_TEXT]))


def assign(command: c.Assign, stack: Stack, recorder: Recorder, evaluating: Evaluating) -> None:
    """Carry out `target = expression` in a frame, and record that before the events that it causes.

    Raises: NotInspectable.
    """
    frame = _frame(stack, command.frame)
    try:
        (statement,) = ast.parse(f"{command.target} = {_VALUE}").body
        target = statement.targets[0] if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        target = None
    if not isinstance(target, (ast.Name, ast.Attribute, ast.Subscript)):
        raise NotInspectable(f"{command.target!r} is not a variable, an attribute or an item, which can be changed.")
    code = frame.f_code
    variables = (*code.co_varnames, *code.co_cellvars, *code.co_freevars)
    if isinstance(target, ast.Name) and code.co_flags & inspect.CO_OPTIMIZED and target.id not in variables:
        raise NotInspectable(f"{code.co_name}() has no variable {target.id!r}.")
    line = stack.at[command.frame]
    recorder.drain()
    begun = recorder.journal.seq
    with evaluating():
        value = _value(command.expression, frame)
    if isinstance(target, ast.Name):
        _bind(frame, target.id, value)
        recorder.named(target.id, value, line)
    else:
        _write(statement, value, frame, recorder, evaluating)
    moment = (say.value_changed, line, code.co_name, command.target, command.expression)
    if recorder.journal.seq == begun:  # Nothing that it caused is written yet.
        recorder.journal.moments.insert(0, moment)
    else:
        recorder.journal.add(*moment)


def _write(statement: ast.stmt, value: object, frame: FrameType, recorder: Recorder, evaluating: Evaluating) -> None:
    """Assign to an attribute or an item.

    Raises: NotInspectable.
    """
    names = {**frame.f_globals, **frame.f_locals, _VALUE: value}
    recorder.changes.by_hand = "assignment"
    try:
        code = compile(ast.unparse(statement), "<assignment>", "exec")
        with evaluating():
            exec(code, names)
    except Exception as error:
        raise NotInspectable(f"{type(error).__name__}: {error}") from None
    finally:
        recorder.changes.by_hand = None
        forget(frame)


def _bind(frame: FrameType, name: str, value: object) -> None:
    """Set a variable of a frame.

    Raises: NotInspectable.
    """
    if in_inlined_comprehension(frame):
        if name in frame.f_code.co_varnames and name in frame.f_locals:
            version = ".".join(map(str, sys.version_info[:2]))
            raise NotInspectable(
                f"{name} belongs to a comprehension outside functions: Python {version} lets nobody change it."
            )
        if frame.f_code.co_name == "<module>":
            frame.f_globals[name] = value
            return
    frame.f_locals[name] = value
    if frame.f_code.co_flags & inspect.CO_OPTIMIZED and sys.version_info < (
        3,
        13,
    ):  # From then on f_locals writes through.
        ctypes.pythonapi.PyFrame_LocalsToFast(ctypes.py_object(frame), ctypes.c_int(0))
        forget(frame)


def _frame(stack: Stack, number: int) -> FrameType:
    if number >= len(stack.frames):
        raise NotInspectable(f"There is no frame {number}: the program has {len(stack.frames)} on its stack.")
    return stack.frames[number]


def _value(expression: str, frame: FrameType) -> Any:
    try:
        return evaluate(compile(expression.strip(), "<expression>", "eval"), frame)
    except SyntaxError as error:
        raise NotInspectable(f"{expression!r} is not an expression: {error.msg}.") from None
    except Exception as error:
        raise NotInspectable(f"{type(error).__name__}: {_text(error, SHORT_TEXT)}") from None


def _list(
    command: c.ListLocals, frame: FrameType, line: int, recorder: Recorder, evaluating: Evaluating
) -> c.LocalsListed:
    variables = {k: v for k, v in variables_of(frame).items() if not (k.startswith("__") and k.endswith("__"))}
    forget(frame)
    names = list(variables)[:MOST_VARIABLES]
    with _unchanged(), contextlib.redirect_stdout(io.StringIO()), evaluating():
        shown = [c.Variable(name=_clean(name), look=_look(variables[name], recorder, SHORT_TEXT)) for name in names]
    return c.LocalsListed(
        id=command.id,
        function=_clean(frame.f_code.co_name),
        line=line,
        variables=shown,
        omitted=len(variables) - len(names),
    )


def _trace(command: c.TraceGradient, starting: Starting | None) -> c.GradientTraced:
    if starting is None:
        raise NotInspectable(
            "Gradients are traced where a backward pass is about to run: step to a backward_started event."
        )
    with _unchanged():
        try:
            return starting.answer(command)
        except Untraced as error:
            raise NotInspectable(str(error)) from None


def _elements(
    command: c.ReadTensor | c.MeasureTensor, recorder: Recorder
) -> tuple[Tensor | None, np.ndarray[Any, Any]]:
    """Return the elements of a tensor or of its `.grad`, and the tensor, or None where they are not in its memory.

    Raises: NotInspectable.
    """
    tensor = find_tensor(recorder, command.tensor)
    if tensor is None:
        raise NotInspectable(f"Tensor {command.tensor} is gone, or never was.")
    if command.of == "grad":
        if tensor._grad is None:
            raise NotInspectable(f"The .grad of tensor {command.tensor} is None.")
        tensor = tensor._grad
    data = tensor._data
    if isinstance(data, Sparse):
        return None, np.asarray(data.dense())
    if isinstance(data, MetaArray):
        raise NotInspectable(f"Tensor {command.tensor} is on the device meta: it has no elements.")
    return tensor, np.asarray(data)


def _read(command: c.ReadTensor, recorder: Recorder) -> c.TensorRead:
    _, array = _elements(command, recorder)
    if max(len(command.begin), len(command.end)) > array.ndim:
        raise NotInspectable(f"Tensor {command.tensor} has {array.ndim} dims.")
    begin = [*command.begin, *[0] * (array.ndim - len(command.begin))]
    end = [*command.end, *array.shape[len(command.end) :]]
    part = array[tuple([slice(a, b) for a, b in zip(begin, end, strict=True)])]
    if part.size > MOST_ELEMENTS:
        raise NotInspectable(f"That is {part.size:,} elements; at most {MOST_ELEMENTS:,} are read at once.")
    return c.TensorRead(
        id=command.id,
        whole=list(array.shape),
        shape=list(part.shape),
        dtype=dtype.table[array.dtype].name,
        values=[element(x) for x in part.reshape(-1)],
    )


def _look(value: object, recorder: Recorder, longest: int) -> c.Look:
    tensor = summary = None
    if isinstance(value, Tensor):
        token = value._token
        tensor = token.tensor if token is not None and token.identities is recorder.identities else None
        summary = summarize(value._data)
    text = _text(value, longest, python=True)
    return c.Look(type=_clean(type(value).__name__)[:SHORT_TEXT], text=text, tensor=tensor, value=summary)


def _text(value: object, longest: int, *, python: bool = False) -> str:
    try:
        text = repr(value) if python else str(value)
    except BaseException as error:  # noqa: BLE001 - a user's __repr__ may raise anything
        text = f"(its text could not be made: {type(error).__name__})"
    return _clean(text if len(text) <= longest else text[: longest - 3] + "...")


def _clean(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


@contextlib.contextmanager
def _unchanged() -> Iterator[None]:
    """Put the states of random generators back at the end."""
    ours, pythons, numpys = default_generator.get_state(), random.getstate(), np.random.get_state()
    try:
        yield
    finally:
        default_generator.set_state(ours)
        random.setstate(pythons)
        np.random.set_state(numpys)
