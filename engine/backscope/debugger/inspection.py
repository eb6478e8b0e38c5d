"""Inspection of a paused program: evaluates expressions, lists variables, reads tensors, and assigns to them."""

from __future__ import annotations

import ast
import contextlib
import ctypes
import inspect
import io
import sys
from collections.abc import Callable, Mapping
from types import FrameType
from typing import Any

from backscope.debugger.attribution.gradient_trace import Starting, Untraced
from backscope.debugger.expression import NotAnExpression, compiled
from backscope.debugger.recording import Recording
from backscope.debugger.stopped import StopNames, Stopped
from backscope.debugger.tensors import NotInspectable, Tensors
from backscope.diagnosis.user_frame import Stack, evaluate, forget, in_inlined_comprehension, variables_of
from backscope.protocol import commands as c
from backscope.recorder import narration as say
from backscope.summary.json_numbers import element
from backscope.tensor.dtype import dtype

LONGEST_TEXT = 4096
"""Characters that are shown of a text."""
SHORT_TEXT = 200
"""Characters that are shown of each variable in a list."""
MOST_VARIABLES = 200
MOST_ELEMENTS = 16_384

_VALUE = "__backscope_value__"


Evaluating = Callable[[], contextlib.AbstractContextManager[None]]
"""A context for running the user's code: only inside may a KeyboardInterrupt end the command."""


def look(
    command: c.Evaluate | c.ListLocals | c.ReadTensor | c.MeasureTensor | c.TraceGradient,
    stopped: Stopped,
    tensors: Tensors,
    evaluating: Evaluating,
) -> c.Answer:
    """Answer a question about the paused program.

    Raises: NotInspectable.
    """
    if isinstance(command, c.TraceGradient):
        return _trace(command, stopped.starting, tensors)
    if isinstance(command, c.ReadTensor):
        return _read(command, tensors)
    if isinstance(command, c.MeasureTensor):
        return tensors.measured(command, _tensor(command, tensors))
    stack = stopped.stack
    frame = _frame(stack, command.frame)
    names = StopNames() if command.frame else stopped.names
    if isinstance(command, c.ListLocals):
        return _list(command, frame, names, stack.at[command.frame], tensors, evaluating)
    with tensors.unchanged(), contextlib.redirect_stdout(io.StringIO()) as printed, evaluating():
        value = _value(command.expression, frame, names)
        seen = _look(value, tensors, LONGEST_TEXT)
    return c.Evaluated(id=command.id, look=seen, output=_clean(printed.getvalue()[:LONGEST_TEXT]))


def assign(command: c.Assign, stopped: Stopped, recorder: Recording, tensors: Tensors, evaluating: Evaluating) -> None:
    """Carry out `target = expression` in a frame, and record that before the events that it causes.

    Raises: NotInspectable.
    """
    stack = stopped.stack
    frame = _frame(stack, command.frame)
    names = StopNames() if command.frame else stopped.names
    try:
        (statement,) = ast.parse(f"{command.target} = {_VALUE}").body
        target = statement.targets[0] if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        target = None
    if not isinstance(target, (ast.Name, ast.Attribute, ast.Subscript)):
        raise NotInspectable(f"{command.target!r} is not a variable, an attribute or an item, which can be changed.")
    code = frame.f_code
    of_stop = _root(target) in names
    variables = (*code.co_varnames, *code.co_cellvars, *code.co_freevars)
    if (
        isinstance(target, ast.Name)
        and not of_stop
        and code.co_flags & inspect.CO_OPTIMIZED
        and target.id not in variables
    ):
        raise NotInspectable(f"{code.co_name}() has no variable {target.id!r}.")
    line = stack.place(command.frame) or 0
    recorder.drain()
    begun = recorder.journal.seq
    with names.quietly() if of_stop else contextlib.nullcontext(), evaluating():
        value = _value(command.expression, frame, names)
    if of_stop and not isinstance(target, ast.Attribute):
        with names.quietly():
            names.change(target, lambda held: _run(statement, {_VALUE: value, **held}, frame, names, evaluating))
    elif isinstance(target, ast.Name):
        _bind(frame, target.id, value)
        tensors.named(target.id, value, line)
    else:
        with tensors.by_hand():
            _run(statement, {_VALUE: value}, frame, names, evaluating)
    moment = (say.value_changed, line, code.co_name, command.target, command.expression)
    if recorder.journal.seq == begun:  # Nothing that it caused is written yet.
        recorder.journal.moments.insert(0, moment)
    else:
        recorder.journal.add(*moment)


def _root(target: ast.expr) -> str | None:
    """Return the variable that the target of an assignment begins with."""
    while isinstance(target, (ast.Attribute, ast.Subscript)):
        target = target.value
    return target.id if isinstance(target, ast.Name) else None


def _run(
    statement: ast.stmt,
    held: dict[str, Any],
    frame: FrameType,
    of_stop: Mapping[str, Any],
    evaluating: Evaluating,
) -> dict[str, Any]:
    """Run an assignment to an attribute or an item, or to one of the names that are `held`; return what these are then.

    Raises: NotInspectable.
    """
    names = {**frame.f_globals, **frame.f_locals, **of_stop, **held}
    try:
        code = compile(ast.unparse(statement), "<assignment>", "exec")
        with evaluating():
            exec(code, names)
    except Exception as error:
        raise NotInspectable(f"{type(error).__name__}: {error}") from None
    finally:
        forget(frame)
    return {name: names[name] for name in held}


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


def _value(expression: str, frame: FrameType, names: Mapping[str, Any]) -> Any:
    try:
        return evaluate(compiled(expression), frame, names)
    except NotAnExpression as error:
        raise NotInspectable(str(error)) from None
    except Exception as error:
        raise NotInspectable(f"{type(error).__name__}: {_text(error, SHORT_TEXT)}") from None


def _list(
    command: c.ListLocals,
    frame: FrameType,
    of_stop: Mapping[str, Any],
    line: int,
    tensors: Tensors,
    evaluating: Evaluating,
) -> c.LocalsListed:
    variables = {k: v for k, v in variables_of(frame).items() if not (k.startswith("__") and k.endswith("__"))}
    forget(frame)
    variables = {**of_stop, **{k: v for k, v in variables.items() if k not in of_stop}}
    names = list(variables)[:MOST_VARIABLES]
    with tensors.unchanged(), contextlib.redirect_stdout(io.StringIO()), evaluating():
        shown = [c.Variable(name=_clean(name), look=_look(variables[name], tensors, SHORT_TEXT)) for name in names]
    return c.LocalsListed(
        id=command.id,
        function=_clean(frame.f_code.co_name),
        line=line,
        variables=shown,
        omitted=len(variables) - len(names),
    )


def _trace(command: c.TraceGradient, starting: Starting | None, tensors: Tensors) -> c.GradientTraced:
    if starting is None:
        raise NotInspectable(tensors.untraced)
    with tensors.unchanged():
        try:
            return starting.answer(command)
        except Untraced as error:
            raise NotInspectable(str(error)) from None


# Any: a tensor of the framework.
def _tensor(command: c.ReadTensor | c.MeasureTensor, tensors: Tensors) -> Any:
    """Return a tensor or its `.grad`.

    Raises: NotInspectable.
    """
    tensor = tensors.find(command.tensor)
    if tensor is None:
        raise NotInspectable(f"Tensor {command.tensor} is gone, or never was.")
    if command.of == "grad":
        tensor = tensors.grad(tensor)
        if tensor is None:
            raise NotInspectable(f"The .grad of tensor {command.tensor} is None.")
    return tensor


def _read(command: c.ReadTensor, tensors: Tensors) -> c.TensorRead:
    array = tensors.elements(_tensor(command, tensors), command.tensor)
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


def _look(value: object, tensors: Tensors, longest: int) -> c.Look:
    tensor = summary = None
    if tensors.is_tensor(value):
        tensor, summary = tensors.number(value), tensors.summary(value)
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
