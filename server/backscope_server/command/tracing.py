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
    at = error.__traceback__
    told = traceback.TracebackException(type(error), error, None if at is None else at.tb_next)
    _leave_recorder_out(told)
    for part in told.format():
        print(part, end="", file=sys.stderr)
    return 130 if isinstance(error, KeyboardInterrupt) else 1


def _leave_recorder_out(told: traceback.TracebackException) -> None:
    """Take out of a traceback the calls that the recording put between those of the program and of PyTorch."""
    from backscope.pytorch.context import is_between

    kept: list[traceback.FrameSummary] = []
    again = False
    for frame in told.stack:
        if frame.name == "handle_torch_function" and kept:
            again = True
        if is_between(frame.filename):
            continue
        if again and (kept[-1].filename, kept[-1].name) == (frame.filename, frame.name):
            kept.pop()  # A function that PyTorch wrote in Python hands its call over, and is called again.
        again = False
        kept.append(frame)
    told.stack[:] = kept
    for other in (told.__cause__, told.__context__):
        if other is not None:
            _leave_recorder_out(other)
