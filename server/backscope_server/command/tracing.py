"""`backscope trace`: runs a program on PyTorch, as python does, and records it."""

from __future__ import annotations

import os
import sys
import traceback
from pathlib import Path
from typing import Any

from backscope_server.terminal import local


def run(file: str, *, arguments: list[str], output: Path | None, source: bool, options: dict[str, Any]) -> int:
    """Run a program and write its recording; return its exit status, or 2 where it did not start or is not written.

    The recording has the text of the program's files with `source`; `options` are those of backscope.pytorch.record().
    """
    text = local.read_program(file)
    if text is None:
        return 2
    try:
        from backscope import pytorch
        from backscope.pytorch import script
    except ImportError as missing:
        print(f"backscope: {missing}", file=sys.stderr)
        return 2
    target = output or Path(file).with_suffix(".backscope").name
    sys.argv = [file, *arguments]
    sys.path.insert(0, str(Path(file).resolve().parent))
    recording = pytorch.record(**options)
    try:
        error = script.run(os.path.abspath(file), text, recording)  # As python names the file of __main__.
    except SyntaxError as refused:
        traceback.print_exception(type(refused), refused, None)
        return 1
    sys.stdout.flush()
    status = _end(error)
    try:
        recording.save(target, source=source)
    except OSError as failed:
        print(f"backscope: cannot write {target}: {failed.strerror or failed}", file=sys.stderr)
        local.rescue(recording.lines)
        return 2
    events = "1 event" if len(recording.lines) == 1 else f"{len(recording.lines):,} events"
    print(f"backscope: recorded {events} in {target}; `backscope open` shows it", file=sys.stderr)
    return status


def _end(error: BaseException | None) -> int:
    """Print an exception as Python does at the end of a program; return the exit status that it gives."""
    if error is None:
        return 0
    if isinstance(error, SystemExit):
        if error.code is None or isinstance(error.code, int):
            return (error.code or 0) & 0xFF
        print(error.code, file=sys.stderr)
        return 1
    _leave_recording_out(error)
    traceback.print_exception(error)
    return 130 if isinstance(error, KeyboardInterrupt) else 1


def _leave_recording_out(error: BaseException) -> None:
    """Take the calls that the recording put between those of the program and of PyTorch out of all tracebacks."""
    from backscope.pytorch.context import without_recording

    told: list[BaseException] = [error]
    for one in told:  # It grows.
        one.__traceback__ = without_recording(one.__traceback__)
        told += [other for other in (one.__cause__, one.__context__) if other is not None and other not in told]
