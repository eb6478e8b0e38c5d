"""Weaves the files that a program on the engine imports: they are recorded, and stop under the debugger."""

from __future__ import annotations

from types import CodeType
from typing import Any

from backscope.debugger import stopping
from backscope.debugger.debugger import Debugger
from backscope.program import instrument
from backscope.program.own_files import OwnFiles
from backscope.recorder.recorder import Recorder


class WovenFiles:
    """Weaves files of one run.

    `calls` are the functions that woven code calls, by name; `sites` the loops and functions of the whole program.
    """

    def __init__(
        self,
        own: OwnFiles,
        recorder: Recorder,
        calls: dict[str, Any],
        sites: list[tuple[int, str]],
        debugger: Debugger | None,
    ) -> None:
        self._own = own
        self._recorder = recorder
        self._calls = calls
        self._sites = sites
        self._debugger = debugger

    def compiled(self, source: str, path: str) -> CodeType:
        """Return the woven code of a file, and record that it takes part in the program."""
        others = self._recorder.code.others
        if path not in others.numbers:
            self._recorder.source_added(path, self._own.name(path) or path, source)
        places = None if self._debugger is None else stopping.Places()
        code, sites = instrument.compiled(source, path, places, first=len(self._sites))
        self._sites += [(others.line(path, line) or line, head) for line, head in sites]
        if self._debugger is not None and places is not None:
            self._debugger.imported(path, places)
        return code

    # Any: functions and flags.
    def called(self, path: str) -> dict[str, Any]:
        """Return what the woven code of a file uses, by name."""
        flags = {} if self._debugger is None else {stopping.STOPS: self._debugger.stops_of(path)}
        return {**self._calls, **flags}
