"""The events of a block that was recorded: to save, to show in the page, and to ask why."""

from __future__ import annotations

import base64
import os
import sys
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self

from backscope.diagnosis.why import NotAsked, Tape
from backscope.program.explanation import explain
from backscope.program.open_page import Page, open_page
from backscope.program.tee import Tee
from backscope.protocol import events as ev, trace
from backscope.protocol.without_source import without_source

if TYPE_CHECKING:
    from backscope.recorder.names import Names
    from backscope.recorder.user_code import UserCode

MOST_BYTES = 1 << 30
"""Bytes that the events of a recording take at most, unless `most_bytes` says otherwise."""


class _Recorder(Protocol):
    """What every recording needs of its recorder, which is that of an engine."""

    @property
    def names(self) -> Names: ...

    @property
    def code(self) -> UserCode: ...


class RecordedBlock:
    """The events of a block, complete after the end of the block; its subclasses record them.

    `lines` has the encoded events, `filename` the file that the block is in.
    """

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self.lines: list[bytes] = []
        self.filename = ""
        self.status: str | None = None
        """ "ok", "error", or "cut" where the memory for it was too short; None before the end of the block."""
        self._recorder: _Recorder | None = None
        """None before the block is entered."""
        self._most = most_bytes
        self._size = 0
        self._line = 0
        self._thread = ""
        self._decoded: list[ev.Event] = []
        self._streams: list[tuple[str, Tee]] = []
        self._warn: Any = None
        self._tape: Any = None
        self.whole = "after the with block"
        """When the recording is complete, as errors say it."""

    def __enter__(self) -> Self:
        raise NotImplementedError

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        raise NotImplementedError

    @property
    def events(self) -> list[ev.Event]:
        """The events, as backscope.protocol.events has them."""
        self.drain()
        self._decoded += [ev.decode(line) for line in self.lines[len(self._decoded) :]]
        return self._decoded

    def save(self, path: str | os.PathLike[str], *, source: bool = True) -> Path:
        """Write a `.backscope` file, which the page and `backscope open` show; returns where it is.

        It has the text of the program's files, the whole of each, unless `source` is False.

        Raises: OSError where it cannot be written.
        """
        self._need_the_end("save()")
        target = Path(path)
        trace.write(target, self.lines if source else without_source(self.lines))
        return target

    def show(self, *, browser: bool = True, wait: bool | None = None) -> Page:
        """Open the recording in the page: starts a local server, and a browser where there is a screen.

        In a notebook or at a prompt the result is a link, and the server runs on until the session ends or the link's
        close(); elsewhere the address is printed, and this waits for Ctrl-C unless `wait` is False.

        Raises: RuntimeError where the command `backscope` is not installed, or its server did not start.
        """
        self._need_the_end("show()")
        return open_page(self.save, browser=browser, wait=wait)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """Return what a notebook shows: the page that plays the recording, a picture where one can be drawn, text."""
        return self._in_cell(None)

    def _in_cell(self, step: int | None) -> dict[str, str]:
        found = {"text/plain": repr(self)}
        if self.status is not None:
            from backscope.player import cell

            drawn = cell.picture(self.lines, step)
            if drawn is not None:
                found["image/png"] = base64.b64encode(drawn).decode()
            shown = cell.show(self.lines, found["text/plain"], drawn, step=step)
            if shown is not None:
                found["text/html"] = shown
        return found

    # Any: a tensor of the framework that the program computes with.
    def why(self, about: Any = None) -> str:
        """Explain the .grad of a variable, by its name, or of a tensor; without an argument, what went wrong.

        Where nothing went wrong, it says so.

        Raises: ValueError where the recording has no such tensor.
        """
        events = self.events
        if self._tape is None:
            self._tape = Tape()
        self._tape.extend(events[self._tape.seq + 1 :])
        number = about if about is None or type(about) is str else self._number(about)
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

    def drain(self) -> None:
        """Write the events so far."""
        raise NotImplementedError

    def _stop(self) -> None:
        """Record nothing from here on."""
        raise NotImplementedError

    # Any: a tensor of the framework that the program computes with.
    def _number(self, tensor: Any) -> int:
        """Return the number of a tensor; raises ValueError where it took no part in the recording."""
        raise NotImplementedError

    # Any: a tensor or a module of the framework that the program computes with.
    def named(self, variable: str, value: Any) -> None:
        """Record a name of a tensor or a module that no line of the program has bound."""
        if self._recorder is not None:
            self._recorder.names.named(variable, value, self._recorder.code.line() or self._line)

    def _need_the_end(self, what: str) -> None:
        if self.status is None:
            raise RuntimeError(f"{what} needs the whole recording: call it {self.whole}.")

    def _redirect(self, thread: int, printed: Callable[[str, str], None]) -> None:
        """Record what the block prints in a thread, and its warnings."""
        for name in ("stdout", "stderr"):
            tee = Tee(getattr(sys, name), name, thread, printed)
            self._streams.append((name, tee))
            setattr(sys, name, tee)
        self._warn = warnings.showwarning
        warnings.showwarning = self._warning

    def _put_streams_back(self) -> None:
        if warnings.showwarning == self._warning:
            warnings.showwarning = self._warn
        for name, tee in self._streams:
            tee.keep()
            if getattr(sys, name) is tee:
                setattr(sys, name, tee.behind)

    def _write(self, batch: bytes) -> None:
        if self.status == "cut":
            return
        for line in batch.splitlines():
            self._size += len(line) + 1
            if self._size > self._most:
                break
            self.lines.append(line)
        else:
            return
        self._stop()
        self._cut()

    def _end_cut(self) -> None:
        """Append the last event of a recording that was cut short."""
        self.lines.append(ev.encode(ev.ProgramFinished(seq=len(self.lines), line=None, status="cut")))

    def _cut(self) -> None:
        self.status = "cut"
        warnings.warn(
            f"The recording from line {self._line} of {self.filename} is cut short: its events need more than "
            f"{self._most:,} bytes. Record a shorter part of the program, or give record(most_bytes=...).",
            RuntimeWarning,
            stacklevel=2,
        )

    def _warning(
        self, message: Any, category: type[Warning], filename: str, lineno: int, file: Any = None, line: Any = None
    ) -> None:
        if self.status is None:
            self._warned(category.__name__, str(message), filename, lineno)
        self._warn(message, category, filename, lineno, file, line)

    def _warned(self, category: str, message: str, filename: str, line: int) -> None:
        """Record a warning."""
        raise NotImplementedError


RECORDINGS = ("backscope.program.recording", "backscope.pytorch.recording", "backscope.notebook.widget")
"""The modules whose __enter__ begins recordings."""

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


def is_done(error: BaseException | None) -> bool:
    """Return True if a block ended without an error."""
    return error is None or (isinstance(error, SystemExit) and error.code in (None, 0))


def caller_of(frame: FrameType) -> FrameType:
    """Return the frame of the with statement, without those of contextlib."""
    while frame.f_back is not None and frame.f_globals.get("__name__") in ("contextlib", *RECORDINGS):
        frame = frame.f_back
    return frame


def shown_name(filename: str) -> str:
    """Return a file's name in the trace: its path from the current directory, else its name alone."""
    path = Path(filename)
    try:
        return str(path.relative_to(Path.cwd()))
    except (ValueError, OSError):
        return filename if filename.startswith("<") else path.name
