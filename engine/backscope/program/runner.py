"""Runs a user's program with `import torch` bound to Backscope, and gives everything that happens as events."""

from __future__ import annotations

import builtins
import linecache
import mmap
import platform
import random
import sys
import traceback
import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, nullcontext
from types import FrameType, ModuleType, TracebackType
from typing import Any

import numpy as np

from backscope.debugger import stopping
from backscope.debugger.debugger import Debugger
from backscope.diagnosis import diagnose
from backscope.diagnosis.user_frame import Frames, ends
from backscope.program import instrument
from backscope.program.clock import FrozenClock
from backscope.program.flush_timer import Pace
from backscope.program.own_files import OwnFiles
from backscope.program.own_modules import OwnModules
from backscope.program.recorded_stream import RecordedStream
from backscope.program.transcript import Transcript, needed_by
from backscope.program.woven_files import WovenFiles
from backscope.protocol.transport import Transport
from backscope.random import default_generator
from backscope.recorder.narration import PLAIN
from backscope.recorder.program_events import text_of
from backscope.recorder.recorder import Recorder
from backscope.runtime import process, recursion_room
from backscope.runtime.error_facts import is_recorded, node_of, note_recorded
from backscope.runtime.given import Value
from backscope.runtime.listening import hub
from backscope.runtime.node_ids import addresses
from backscope.runtime.passive import class_name, own_dict, shown_name, traceback_of
from backscope.runtime.version import TORCH_VERSION, VERSION
from backscope.runtime.warning import silence_numpy
from backscope.tensor import overrides
from backscope.torch._backend.import_hook import Alias
from backscope.torch.missing import complete_attribute_error

RESERVE = 8 << 20
"""Bytes kept back for the report of a program that used up its memory."""


def run(
    source: str,
    write: Callable[[bytes], None],
    *,
    filename: str = "program.py",
    seed: int = 0,
    transport: Transport | None = None,
    memory_bytes: int | None = None,
    alone: bool = False,
    folder: str | None = None,
) -> str:
    """Run `source`; returns "ok" or "error".

    `write` gets the encoded events, one or more lines at a time: program_started first, program_finished last.  With a
    `transport` the program can be debugged.  `memory_bytes` is the limit of its memory if there is one, for the text
    of a MemoryError.  Modules that it imports from below `folder` are recorded as files of the program.  One that runs
    `alone` in its process finds and leaves what is process-wide as it is: looking at all of that takes memory of its
    own.  Never raises for anything that the program does, except when `write` or the transport raise.
    """
    module = ModuleType("__main__")
    module.__file__ = filename
    space = module.__dict__
    transcript = Transcript(write) if needed_by(source) else None
    recorder = Recorder(transcript or write, space)
    run_ = _Run(source, filename, recorder, module, transport, memory_bytes, alone=alone, folder=folder)
    if transcript is not None:
        transcript.report = run_._report
    recorder.program_started(filename, source, seed, versions())
    recorder.drain()
    run_.seed(seed)
    return run_.execute()


def versions() -> dict[str, str]:
    """Return the versions that a run depends on."""
    return {"backscope": VERSION, "python": platform.python_version(), "numpy": np.__version__, "torch": TORCH_VERSION}


def _put_back(stdout: Any, stderr: Any, main: ModuleType | None) -> None:
    sys.stdout, sys.stderr = stdout, stderr
    if main is not None:
        sys.modules["__main__"] = main


class _Run:
    def __init__(
        self,
        source: str,
        filename: str,
        recorder: Recorder,
        module: ModuleType,
        transport: Transport | None,
        memory_bytes: int | None,
        *,
        alone: bool,
        folder: str | None,
    ) -> None:
        self.source = source
        self.filename = filename
        self.recorder = recorder
        self.module = module
        self.memory_bytes = memory_bytes
        self.alone = alone
        self.own = None if folder is None else OwnFiles(folder)
        self.pace = Pace(recorder)
        self.debugger = (
            None if transport is None else Debugger(source, filename, self.own, recorder, transport, self.pace)
        )

    def seed(self, seed: int) -> None:
        """Put every generator and setting that a program may change into a known state."""
        if not self.alone:
            process.restart()
        addresses.restart()
        default_generator.manual_seed(seed)
        random.seed(seed)
        np.random.seed(seed % 2**32)

    def execute(self) -> str:
        """Run the program between its first and last event."""
        debugger = self.debugger
        try:
            places = None if debugger is None else debugger.places
            code, sites = instrument.compiled(self.source, self.filename, places)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            self._syntax(error)
            self.recorder.program_finished("error")
            if debugger is not None:
                debugger.end()
            self.recorder.drain()
            return "error"
        self.recorder.journal.narrator.loops.sites = sites
        linecache.cache[self.filename] = (len(self.source), None, self.source.splitlines(keepends=True), self.filename)
        space = self.module.__dict__
        called = {
            instrument.NAMED: self._named,
            instrument.ATTRIBUTE: self._attribute,
            instrument.KEPT: self._kept,
            instrument.DELETED: self._deleted,
            instrument.CAUGHT: self._caught,
            instrument.LOOP: self.recorder.journal.marked,
            instrument.CALL: self.recorder.journal.called,
        }
        space.update({"__builtins__": builtins, "__name__": "__main__"})
        if debugger is not None:
            called |= {stopping.STOP: debugger.stop_here, stopping.RAISED: self._raised}
            space[stopping.STOPS] = debugger.stops
        space.update(called)
        modules: AbstractContextManager[None] = nullcontext()
        if self.own is not None:
            modules = OwnModules(self.own, WovenFiles(self.own, self.recorder, called, sites, debugger))
        # Address space that is freed when the program runs out of memory, so that this can be reported.
        reserve = mmap.mmap(-1, RESERVE, access=mmap.ACCESS_COPY)
        outer = sys.stdout, sys.stderr, sys.modules.get("__main__")
        streams = [RecordedStream(name, self.recorder, self.pace) for name in ("stdout", "stderr")]
        depth = sys.getrecursionlimit()
        status = "error"
        try:
            sys.stdout, sys.stderr = streams
            sys.modules["__main__"] = self.module
            if debugger is not None:
                debugger.begin()
                self.pace.debugger = debugger
            self.pace.start()
            hub.listener = self.recorder
            with Alias(), modules, warnings.catch_warnings(), np.errstate(), np.printoptions(), FrozenClock():
                warnings.simplefilter("default")
                silence_numpy()
                overrides.arm_for(self.source)
                warnings.showwarning = self._warning
                try:
                    exec(code, space)  # noqa: S102
                except BaseException as error:  # noqa: BLE001 - whatever the program raises is its result
                    reserve.close()
                    complete_attribute_error(error)
                    status = self._ended(error)
                    if debugger is not None:
                        debugger.ended(error, space, self.filename)
                else:
                    status = "ok"
                    if debugger is not None:
                        for stream in streams:
                            stream.flush()
                        debugger.ended(None, space, self.filename)
                finally:
                    for stream in streams:
                        stream.flush()
        finally:
            # Each callback runs even if another raises; the last one runs first.
            with ExitStack() as last:
                last.callback(self.pace.stop)
                self.pace.hold()  # A call of the timer that fails would cut off what follows.
                last.callback(self.recorder.program_finished, status)
                last.callback(self.recorder.drain)  # Warnings of lost moments come before program_finished.
                last.callback(_put_back, *outer)
                last.callback(sys.setrecursionlimit, depth)
                last.callback(reserve.close)
                if not self.alone:
                    last.callback(process.restart)
                if debugger is not None:
                    last.callback(debugger.end)
                hub.listener = None
        return status

    def _line(self, frame: FrameType) -> int:
        return self.recorder.code.line_at(frame.f_code, frame.f_lineno) or 0

    def _named(self, name: str, value: Value) -> None:
        # Most loop variables hold no tensors.
        if (type(value) not in PLAIN or name in self.recorder.names.modules.names) and hub.listener is not None:
            self.recorder.named(name, value, self._line(sys._getframe(1)))

    def _deleted(self, name: str) -> None:
        if name in self.recorder.names.modules.names and hub.listener is not None:
            self.recorder.name_given_up(name, self._line(sys._getframe(1)))

    def _attribute(self, holder: Any, attribute: str) -> None:
        """Record the name of `self.x` that was assigned, if reading it runs no code of the user."""
        held = own_dict(holder)
        if hub.listener is not None and attribute in held:
            self.recorder.named(f"self.{attribute}", held[attribute], self._line(sys._getframe(1)))

    def _kept(self, name: str, holder: Any, attribute: str | None = None) -> None:
        """Record that an item was put into `holder` or `holder.x`, if reading that runs no code of the user."""
        if attribute is not None:
            holder = own_dict(holder).get(attribute)
            name = f"{name}.{attribute}"
        if type(holder) is list and (not holder or type(holder[-1]) in PLAIN):
            return
        if hub.listener is not None:
            self.recorder.kept(name, holder, self._line(sys._getframe(1)))

    def _caught(self) -> None:
        error = sys.exc_info()[1]
        if error is not None:
            self._report(error, "engine")
            if self.debugger is not None and self.debugger.stops[0]:
                self.debugger.raised(error)

    def _raised(self) -> None:
        error = sys.exc_info()[1]
        before = recursion_room.give()
        try:
            if self.debugger is not None:
                self.debugger.raised(error)
        finally:
            recursion_room.take_back(before)

    def _warning(
        self, message: Any, category: type[Warning], filename: str, lineno: int, file: Any = None, line: Any = None
    ) -> None:
        others = self.recorder.code.others
        own = lineno if filename == self.filename else others.line(filename, lineno)
        self.recorder.warned(class_name(category), str(message), own)

    def _ended(self, error: BaseException) -> str:
        if isinstance(error, SystemExit) and error.code in (None, 0):
            return "ok"
        if isinstance(error, SystemExit) and not isinstance(error.code, int):
            sys.stderr.write(f"{error.code}\n")
        if isinstance(error, MemoryError):
            self._make_room(error)
        self._report(error, "program")
        return "error"

    def _make_room(self, error: BaseException) -> None:
        """Free what the program holds, so that there is memory to report that there was none."""
        traceback.clear_frames(traceback_of(error))
        space = self.module.__dict__
        for name in [n for n in space if not n.startswith("__")]:
            del space[name]

    def _report(self, error: BaseException, stage: str) -> None:
        """Record an exception; one that the engine has reported already only when it ends the program."""
        if stage == "engine" and is_recorded(error):
            return
        frames = self._frames(traceback_of(error))
        line = frames.lines[-1][0] if frames.lines else None
        message = text_of(error, shown=stage == "program")
        if isinstance(error, MemoryError):
            message = message or "The program ran out of memory."
            if self.memory_bytes is not None:
                message = f"{message.removesuffix('.')}. This program may use {self.memory_bytes >> 20:,} MB."
        self.recorder.failed(
            stage,
            shown_name(type(error)),
            message,
            line,
            None,
            frames,
            node_of(error),
            diagnose.explain(error, self.recorder.history, line),
        )
        note_recorded(error)

    def _frames(self, trace: TracebackType | None) -> Frames:
        own = self.recorder.code
        through = [(f.f_code, line) for f, line in traceback.walk_tb(trace)]
        return ends(
            [
                (own.line_at(code, line) or 0, code, line)
                for code, line in through
                if code.co_filename == self.filename or code.co_filename in own.others.numbers
            ]
        )

    def _syntax(self, error: BaseException) -> None:
        line = getattr(error, "lineno", None)
        column = getattr(error, "offset", None)
        text = (getattr(error, "text", None) or "").strip("\n")
        trace = Frames([(line, "<module>", text)] if line else [])
        message = getattr(error, "msg", None) or str(error)
        self.recorder.failed("syntax", type(error).__name__, message, line, column, trace, None, None)
