"""The recording of one test: on which engine, around its body, and what is said where it fails."""

from __future__ import annotations

import functools
import hashlib
import inspect
import re
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from backscope.testing import trace_folder

if TYPE_CHECKING:
    from backscope.program.recorded_block import RecordedBlock

_BLOCK = "def block(recording, run):\n with recording: return run()"
"""The block that is recorded; it is compiled as if it were in the test's file, which the recording then has."""


def pytorch() -> ModuleType | None:
    """Return PyTorch itself, where the process has loaded it."""
    torch = sys.modules.get("torch")
    return torch if torch is not None and torch.__name__ == "torch" and hasattr(torch, "_C") else None


# Any: whatever pytest calls as a test.
def begin(test: Any) -> RecordedBlock | None:
    """Return a recording for a test, on what it computes with.

    None where it uses neither PyTorch nor the engine, records by itself, or is a coroutine.
    """
    function = _plain(test)
    if function is None or inspect.iscoroutinefunction(function) or _records(function):
        return None
    on_engine = "backscope.torch" in sys.modules
    if pytorch() is None:
        return begin_on_engine() if on_engine else None
    if on_engine and _names_engine(function):
        return begin_on_engine()
    return _begin_on_pytorch()


# Any: PyTorch, or the engine's namespace.
def begin_on(torch: Any) -> RecordedBlock:
    """Return a recording for what a torch computes."""
    return _begin_on_pytorch() if torch is pytorch() else begin_on_engine()


def begin_on_engine() -> RecordedBlock:
    """Return a recording of Backscope's engine."""
    from backscope.program.recording import record

    return _of_test(record())


def _begin_on_pytorch() -> RecordedBlock:
    from backscope.pytorch import record

    for name, module in sys.modules.copy().items():  # Their frames are between those of the test and of PyTorch.
        if name.startswith("backscope.pytorch."):
            setattr(module, "__tracebackhide__", True)
    return _of_test(record())


def _of_test(recording: RecordedBlock) -> RecordedBlock:
    recording.whole = (
        "in a fixture that takes `recording`, after its yield; --backscope=all keeps the recordings of all tests"
    )
    return recording


# Any: PyTorch, or the engine's namespace.
def under_way(torch: Any) -> RecordedBlock | None:
    """Return the recording that the test is in, of what a torch computes."""
    if torch is pytorch():
        recording = sys.modules.get("backscope.pytorch.recording")
    else:
        recording = sys.modules.get("backscope.program.recording")
    found: RecordedBlock | None = None if recording is None else recording.under_way()
    return found


# Any: whatever pytest calls as a test.
def _plain(test: Any) -> FunctionType | None:
    found = inspect.unwrap(getattr(test, "__func__", test))
    return found if isinstance(found, FunctionType) else None


def _records(function: FunctionType) -> bool:
    return "record" in function.__code__.co_names


def _names_engine(function: FunctionType) -> bool:
    """Return whether the module of a test has imported a part of the engine; others have it from PyTorch."""
    found = [value for value in function.__globals__.values() if isinstance(value, ModuleType)]
    return any(module.__name__.startswith("backscope.") for module in found)


def recorded(test: Callable[..., Any], recording: RecordedBlock) -> Callable[..., Any]:
    """Return a test whose body is recorded."""
    function = _plain(test)
    if function is None:
        return test
    code, space = function.__code__, function.__globals__

    @functools.wraps(test)
    def around(*arguments: Any, **named: Any) -> Any:
        body = functools.partial(test, *arguments, **named)
        return run_at(code.co_filename, code.co_firstlineno, space, recording, body)

    return around


# Any: what a test's module has and gives.
def run_at(file: str, line: int, space: dict[str, Any], recording: RecordedBlock, run: Callable[[], Any]) -> Any:
    """Call a function within a recording, as if a line of a file did it."""
    made: dict[str, Any] = {}
    exec(compile("\n" * (line - 2) + _BLOCK, file, "exec"), space, made)
    return made["block"](recording, run)


def diagnosis(recording: RecordedBlock, error: BaseException, file: Path) -> str:
    """Return what a recording says of the error that ended its test, and of the gradients that its lines name."""
    parts = [_without_report(_why(recording), error)]
    lines = [at.line or "" for at in traceback.extract_tb(error.__traceback__) if at.filename == str(file)]
    for name in dict.fromkeys(re.findall(r"([A-Za-z_][\w.]*)\.grad\b", "\n".join(lines))):
        parts.append(_why(recording, name))
    return "\n\n".join(dict.fromkeys(filter(None, parts)))


def _without_report(text: str, error: BaseException) -> str:
    """Return an explanation without what pytest reports itself: the error, and of a failed assertion that it failed."""
    _, question, rest = text.partition("\n\nWhy did the ")
    if not question:
        return text
    if isinstance(error, AssertionError):
        return rest.partition("\n\n")[2]
    return f"Why did the {rest}"


def _why(recording: RecordedBlock, *about: str) -> str:
    try:
        return recording.why(*about)
    except ValueError:  # No tensor has that name.
        return ""


def save(recording: RecordedBlock, folder: Path, test: str) -> Path:
    """Write the recording of a test into a folder, in a file that is named after it; return its path."""
    return recording.save(trace_folder.note(folder, file_name(test)))


def file_name(test: str) -> str:
    """Return the name of the file for a test: its own, with a hash where other tests may have the same letters."""
    plain = test.replace("/", ".").replace("::", ".")
    name = re.sub(r"[^\w.-]+", "-", plain, flags=re.ASCII)[:150].strip("-")
    if name != plain:
        name += f"-{hashlib.sha256(test.encode()).hexdigest()[:8]}"
    return f"{name}.backscope"
