"""Runs a whole program on PyTorch under the debugger."""

from __future__ import annotations

import ast
import contextlib
import random
import sys
import warnings
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any

import numpy as np
import torch

from backscope.debugger import stopping
from backscope.debugger.stoppable_files import StoppableFiles
from backscope.debugger.stopping import Places
from backscope.program import runner
from backscope.program.flush_timer import Pace
from backscope.program.own_modules import OwnModules
from backscope.program.recorded_block import is_done, shown_name
from backscope.program.recorded_stream import RecordedStream
from backscope.protocol.transport import Transport
from backscope.pytorch import script
from backscope.pytorch.debugger.debugger import TorchDebugger
from backscope.pytorch.debugger.told_journal import ToldJournal
from backscope.pytorch.part import Part
from backscope.pytorch.recorder import TorchRecorder
from backscope.runtime.passive import class_name


def run(source: str, write: Callable[[bytes], None], *, filename: str, seed: int, transport: Transport) -> str:
    """Run `source` on PyTorch, with commands from `transport`; returns "ok" or "error".

    `write` gets the encoded events.  What the program prints is recorded and not written.  Never raises for anything
    that the program does, except when `write` or the transport raise.
    """
    try:
        places = Places()
        code = script.compiled(_woven(source, filename, places), source, filename)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # It runs nowhere, and is told in the same words.
        return runner.run(source, write, filename=filename, seed=seed, transport=transport)
    torch.manual_seed(seed)
    random.seed(seed)
    np.random.seed(seed % 2**32)
    return _Run(source, write, filename, transport, places).execute(code)


def _woven(source: str, filename: str, places: Places) -> ast.Module:
    """Return the tree of a file with the checks for stops.

    Raises: SyntaxError where the text is no program.
    """
    tree = ast.parse(source, filename)
    stopping.weave(tree, places)
    stopping.check_caught(tree)
    stopping.guard(tree)
    return tree


class _WovenFiles:
    """Weaves the files that the program imports from its own folder."""

    def __init__(self, recorder: TorchRecorder, debugger: TorchDebugger, calls: dict[str, Any]) -> None:
        self._recorder = recorder
        self._debugger = debugger
        self._calls = calls

    def compiled(self, source: str, path: str) -> CodeType:
        """Return the code of a file, which can be stopped, and record that it takes part in the program.

        Raises: SyntaxError where the text is no program.
        """
        self._recorder.sources.meet(path)
        if path in self._recorder.code.others.numbers:
            places = Places()
            # Blocks that are nested as deeply as Python allows have no room for a check.
            with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
                tree = ast.fix_missing_locations(_woven(source, path, places))
                code: CodeType = compile(tree, path, "exec", dont_inherit=True)
                self._debugger.imported(path, places)
                return code
        return compile(source, path, "exec", dont_inherit=True)

    # Any: functions and flags.
    def called(self, path: str) -> dict[str, Any]:
        """Return what the code of a file uses, by name."""
        if path not in self._recorder.code.others.numbers:
            return {}
        return {**self._calls, stopping.STOPS: self._debugger.stops_of(path)}


class _Run:
    def __init__(
        self, source: str, write: Callable[[bytes], None], filename: str, transport: Transport, places: Places
    ) -> None:
        self._source = source
        self._write = write
        self._filename = filename
        self._transport = transport
        self._places = places
        self._recorder: TorchRecorder | None = None
        self._debugger: TorchDebugger | None = None
        self._pace: Pace | None = None
        self._space: dict[str, Any] = {}
        self._modules: OwnModules | None = None

    def execute(self, code: Any) -> str:
        """Run the program between its first and last event."""
        outer = sys.stdout, sys.stderr, warnings.showwarning
        try:
            error = script.executed(code, self._filename, self._begin)
            return self._end(error)
        finally:
            sys.stdout, sys.stderr, warnings.showwarning = outer
            if self._modules is not None:
                self._modules.__exit__()

    def _begin(self, frame: FrameType) -> None:
        """Begin to record and to stop, in the program's own frame."""
        recorder = self._recorder = TorchRecorder(self._write, frame, "all", Part(), ToldJournal)
        pace = self._pace = Pace(recorder)
        own = recorder.sources.own
        files = StoppableFiles(self._filename, own, self._places)
        self._debugger = debugger = TorchDebugger(self._source, recorder, self._transport, pace, files)
        recorder.program_started(shown_name(recorder.sources.filename))
        recorder.drain()
        self._space = frame.f_globals
        calls = {stopping.STOP: debugger.stop_here, stopping.RAISED: debugger.raised_here}
        self._space |= {stopping.STOPS: debugger.stops, **calls}
        self._modules = OwnModules(own, _WovenFiles(recorder, debugger, calls))
        self._modules.__enter__()
        sys.stdout, sys.stderr = (RecordedStream(name, recorder, pace) for name in ("stdout", "stderr"))
        warnings.showwarning = self._warned
        recorder.install()
        debugger.begin()
        pace.debugger = debugger
        pace.start()

    def _warned(
        self, message: Any, category: type[Warning], filename: str, lineno: int, file: Any = None, line: Any = None
    ) -> None:
        assert self._recorder is not None
        place = self._recorder.sources.line_in(filename, lineno)
        own = self._recorder.code.line() if place is None else place
        self._recorder.warned(class_name(category), str(message), own)

    def _end(self, error: BaseException | None) -> str:
        recorder, debugger, pace = self._recorder, self._debugger, self._pace
        assert recorder is not None and debugger is not None and pace is not None
        done = is_done(error)
        if isinstance(error, SystemExit) and not isinstance(error.code, (int, type(None))):
            sys.stderr.write(f"{error.code}\n")
        sys.stdout.flush()
        sys.stderr.flush()
        try:
            if error is not None and not done:
                recorder.errors.of_program(error)
            debugger.ended(error, self._space, self._filename)
        finally:
            recorder.remove()
            pace.stop()
            recorder.finish("ok" if done else "error")
            debugger.end()
        return "ok" if done else "error"
