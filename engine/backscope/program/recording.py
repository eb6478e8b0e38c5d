"""`backscope.record()`: what happens in a block of any program, test or notebook cell, as a trace."""

from __future__ import annotations

import os
import sys
import threading
import warnings
from collections import Counter
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any

from backscope.autograd.thread import running
from backscope.diagnosis.why import NotAsked, Tape
from backscope.program.explanation import explain
from backscope.program.frame_recorder import Block
from backscope.program.innermost_listener import innermost, put_innermost
from backscope.program.open_page import Page, open_page
from backscope.program.runner import versions
from backscope.program.tee import Tee
from backscope.program.transcript import Transcript
from backscope.protocol import events as ev, trace
from backscope.random import default_generator
from backscope.recorder.recorder import Recorder
from backscope.tensor.tensor import Tensor

MOST_BYTES = 1 << 30
"""Bytes that the events of a recording take at most, unless `most_bytes` says otherwise."""


_under_way: dict[Recorder, Recording] = {}
"""The recordings of blocks that have not ended, by their recorder."""


def record(*, most_bytes: int = MOST_BYTES) -> Recording:
    """Return a context manager that records what happens inside it, in the thread that enters it.

    `with backscope.record() as trace: ...` gives a Recording.  Tensors, lines and variables have their names in the
    program, also those that were there before.  An exception is recorded and goes on.  In a program that is recorded as
    a whole, as `backscope run` does, the Recording is that of the program up to the end of the block.

    `most_bytes` bounds the memory of the events; what comes after is not recorded, and a warning says so.
    """
    return Recording(most_bytes)


class Recording:
    """The events of a block, complete after the end of the block.

    `lines` has the encoded events, `filename` the file that the block is in.
    """

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self.lines: list[bytes] = []
        self.filename = ""
        self.status: str | None = None
        """ "ok", "error", or "cut" where the memory for it was too short; None before the end of the block."""
        self._most = most_bytes
        self._size = 0
        self._block: Block | None = None
        self._recorder: Recorder | None = None
        self._whole: Transcript | None = None
        """The events of the program, if it is recorded as a whole."""
        self._line = 0
        self._thread = ""
        self._decoded: list[ev.Event] = []
        self._streams: list[tuple[str, Tee]] = []
        self._warn: Any = None
        self._tape: Any = None

    def __enter__(self) -> Recording:
        if self._recorder is not None:
            raise RuntimeError(
                f"This recording was made already, from line {self._line} of {self.filename}. Call "
                "backscope.record() again for another one."
            )
        _refuse_a_second()
        frame = _caller(sys._getframe(1))
        listener = innermost()
        if isinstance(listener, Recorder):
            return self._enter_whole(listener, frame)
        self._block = block = Block(self._write, frame)
        self._recorder = recorder = block.recorder
        self.filename = _shown_name(block.sources.filename)
        self._line = frame.f_lineno
        self._thread = threading.current_thread().name
        recorder.program_started(
            self.filename, block.sources.text, default_generator.initial_seed() % 2**53, versions()
        )
        block.begin()
        for name in ("stdout", "stderr"):
            tee = Tee(getattr(sys, name), name, block)
            self._streams.append((name, tee))
            setattr(sys, name, tee)
        self._warn = warnings.showwarning
        warnings.showwarning = self._warning
        put_innermost(recorder)
        _under_way[recorder] = self
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        block = self._block
        if self._whole is not None:
            self._leave_whole(self._whole, error)
        if block is None:
            return
        recorder = block.recorder
        _stop_listening(recorder)
        if warnings.showwarning == self._warning:
            warnings.showwarning = self._warn
        for name, tee in self._streams:
            tee.keep()
            if getattr(sys, name) is tee:
                setattr(sys, name, tee.behind)
        block.end(error)
        done = _is_done(error)
        if error is not None and not done:
            block.report(error, "program")
        if self.status is None:
            recorder.program_finished("ok" if done else "error")
            recorder.drain()
            self.status = "ok" if done else "error"
        else:
            recorder.forget()
            self.lines.append(ev.encode(ev.ProgramFinished(seq=len(self.lines), line=None, status=self.status)))
        block.code.user_globals = None

    @property
    def events(self) -> list[ev.Event]:
        """The events, as backscope.protocol.events has them."""
        if self._recorder is not None:
            self._recorder.drain()
        if self._whole is not None and self.status is None:
            self._take(self._whole)
        self._decoded += [ev.decode(line) for line in self.lines[len(self._decoded) :]]
        return self._decoded

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write a `.backscope` file, which the page and `backscope open` show; returns where it is.

        Raises: OSError where it cannot be written.
        """
        self._need_the_end("save()")
        target = Path(path)
        trace.write(target, self.lines)
        return target

    def show(self, *, browser: bool = True, wait: bool | None = None) -> Page:
        """Open the recording in the page: starts a local server, and a browser where there is a screen.

        In a notebook or at a prompt the result is a link, and the server runs on until the session ends or the link's
        close(); elsewhere the address is printed, and this waits for Ctrl-C unless `wait` is False.

        Raises: RuntimeError where the command `backscope` is not installed, or its server did not start.
        """
        self._need_the_end("show()")
        return open_page(self.save, browser=browser, wait=wait)

    def why(self, about: str | Tensor | None = None) -> str:
        """Explain the .grad of a variable, by its name, or of a tensor; without an argument, what went wrong.

        Where nothing went wrong, it says so.

        Raises: ValueError where the recording has no such tensor.
        """
        events = self.events
        if self._tape is None:
            self._tape = Tape()
        self._tape.extend(events[self._tape.seq + 1 :])
        number: str | int | None
        if isinstance(about, Tensor):
            token = about._token
            if token is None or self._recorder is None or token.identities is not self._recorder.identities:
                raise ValueError("This tensor took no part in the recording.")
            number = token.tensor
        else:
            number = about
        try:
            return explain(self._tape, self._tape.seq, number)
        except NotAsked as refused:
            raise ValueError(str(refused)) from None

    def __repr__(self) -> str:
        where = f"line {self._line} of {self.filename}"
        if self._recorder is None:
            return "<Recording: nothing yet; use it in a with statement>"
        if self.status is None:
            return f"<Recording under way, from {where}>"
        counts = Counter(type(event) for event in self.events)
        parts = [_count(len(self.lines), "event")]
        for kinds, noun in _TOLD:
            if number := sum(counts[kind] for kind in kinds):
                parts.append(_count(number, noun))
        end = ""
        if self.status == "cut":
            end = "; cut short, for want of memory"
        elif self.status == "error":
            last = next((e for e in reversed(self.events) if isinstance(e, ev.ErrorRaised)), None)
            end = "" if last is None else f"; ended with {last.type}"
        return f"<Recording from {where}: {', '.join(parts)}{end}>"

    def _need_the_end(self, what: str) -> None:
        if self.status is None:
            raise RuntimeError(f"{what} needs the whole recording: call it after the with block.")

    def _write(self, batch: bytes) -> None:
        if self.status == "cut":
            return
        self._size += len(batch)
        if self._size <= self._most:
            self.lines += batch.splitlines()
            return
        if self._block is not None:
            _stop_listening(self._block.recorder)
        self._cut()

    def _cut(self) -> None:
        self.status = "cut"
        warnings.warn(
            f"The recording from line {self._line} of {self.filename} is cut short: its events need more than "
            f"{self._most:,} bytes. Record a shorter part of the program, or give record(most_bytes=...).",
            RuntimeWarning,
            stacklevel=2,
        )

    def _enter_whole(self, recorder: Recorder, frame: FrameType) -> Recording:
        """Begin inside a program that is recorded as a whole, whose events up to the end of the block this has."""
        assert isinstance(recorder.journal.write, Transcript)
        self._recorder, self._whole = recorder, recorder.journal.write
        self._whole.under_way = self
        self.filename = _shown_name(frame.f_code.co_filename)
        self._line = frame.f_lineno
        self._thread = threading.current_thread().name
        return self

    def _leave_whole(self, whole: Transcript, error: BaseException | None) -> None:
        whole.under_way = None
        if self.status is not None or self._recorder is None:
            return
        sys.stdout.flush()
        sys.stderr.flush()
        done = _is_done(error)
        if error is not None and not done:
            whole.report(error, "engine")
        self._recorder.drain()
        self._take(whole)
        if self.status is None:
            self.status = "ok" if done else "error"
        self.lines.append(ev.encode(ev.ProgramFinished(seq=len(self.lines), line=None, status=self.status)))

    def _take(self, whole: Transcript) -> None:
        """Take the events since the last time, up to the memory that there is for them."""
        for line in whole.lines[len(self.lines) :]:
            self._size += len(line)
            if self._size > self._most:
                break
            self.lines.append(line)
        if not whole.complete or self._size > self._most:
            self._cut()

    def _warning(
        self, message: Any, category: type[Warning], filename: str, lineno: int, file: Any = None, line: Any = None
    ) -> None:
        block = self._block
        if block is not None and self.status is None:
            offset = block.sources.offsets.get(filename)
            block.recorder.warned(category.__name__, str(message), None if offset is None else lineno + offset)
        self._warn(message, category, filename, lineno, file, line)


_TOLD: tuple[tuple[tuple[type[Any], ...], str], ...] = (
    ((ev.OpApplied,), "op"),
    ((ev.BackwardStarted,), "backward pass"),
    ((ev.GradAccumulated,), "gradient accumulated"),
    ((ev.OptimizerStepped,), "optimizer step"),
    ((ev.WarningRaised,), "warning"),
)


def _count(number: int, noun: str) -> str:
    if number == 1:
        return f"1 {noun}"
    first, _, rest = noun.partition(" ")
    many = f"{first}s {rest}".strip() if rest == "accumulated" else f"{noun}es" if noun.endswith("s") else f"{noun}s"
    return f"{number:,} {many}"


def _is_done(error: BaseException | None) -> bool:
    """Return True if a block ended without an error."""
    return error is None or (isinstance(error, SystemExit) and error.code in (None, 0))


def _caller(frame: FrameType) -> FrameType:
    """Return the frame of the with statement, without those of contextlib."""
    while frame.f_back is not None and frame.f_globals.get("__name__") in ("contextlib", __name__):
        frame = frame.f_back
    return frame


def _shown_name(filename: str) -> str:
    """Return a file's name in the trace: its path from the current directory, else its name alone."""
    path = Path(filename)
    try:
        return str(path.relative_to(Path.cwd()))
    except (ValueError, OSError):
        return filename if filename.startswith("<") else path.name


def _refuse_a_second() -> None:
    listener = innermost()
    under_way: Any = None
    if isinstance(listener, Recorder) and listener in _under_way:
        under_way = _under_way[listener]
    elif isinstance(listener, Recorder):
        if not isinstance(listener.journal.write, Transcript):
            raise RuntimeError(
                "This program is being recorded already, as a whole. backscope.record() works in it where the program "
                "itself, and not a module of it alone, has `import backscope`."
            )
        under_way = listener.journal.write.under_way
    if under_way is not None:
        raise RuntimeError(
            f"A recording is under way already, from line {under_way._line} of {under_way.filename} in the thread "
            f"{under_way._thread}; there is one at a time. Let its with block end before the next one."
        )
    if running.tasks:
        raise RuntimeError(
            "backscope.record() cannot begin inside of a backward pass. Put the with statement around the call of "
            "backward()."
        )


def _stop_listening(recorder: Recorder) -> None:
    _under_way.pop(recorder, None)
    if innermost() is recorder:
        put_innermost(None)
