"""`backscope.pytorch.record()`: what happens in a block of a program on PyTorch, as a trace."""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Sequence
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any

import torch

from backscope.program.recorded_block import MOST_BYTES, RecordedBlock, caller_of, is_done, shown_name
from backscope.pytorch.context import ROOM, caller_through, is_between
from backscope.pytorch.part import Part, steps_of
from backscope.pytorch.recorder import TorchRecorder
from backscope.pytorch.values import DETAILS, Detail

_under_way: list[TorchRecording] = []
"""The recording that has begun and not ended, if there is one."""


def record(
    *,
    values: Detail = "all",
    modules: str | Sequence[str] = (),
    steps: int | Sequence[int] | None = None,
    most_bytes: int = MOST_BYTES,
) -> TorchRecording:
    """Return a context manager that records what PyTorch does inside it, in the thread that enters it.

    `with backscope.pytorch.record() as trace: ...` gives a recording with show(), save(), why() and events.  The
    program runs unchanged and computes the same, bit by bit.

    `values` says how much of tensors is told: "all" (their numbers), "norms" (a norm and the counts of NaN and
    infinity), or "none" (shapes and types alone).  With `modules`, paths such as "model.encoder" or patterns such as
    "model.layers.*", only ops inside of these are recorded, and passes whole; with `steps`, a number, a first and a
    last one or a range, only those steps of the optimizer, from 1 on.  `most_bytes` bounds the memory of the events;
    what comes after is not recorded, and a warning says so.

    Raises: ValueError for other `values` or `steps`, or for `most_bytes` below 1.
    """
    if values not in DETAILS:
        raise ValueError(f'values is "all", "norms" or "none", not {values!r}')
    if most_bytes < 1:
        raise ValueError(f"most_bytes is a number of bytes from 1 on, not {most_bytes}")
    part = Part([modules] if isinstance(modules, str) else modules, steps_of(steps))
    return TorchRecording(values=values, part=part, most_bytes=most_bytes)


def under_way() -> TorchRecording | None:
    """Return the recording that this thread is in."""
    return next((one for one in _under_way if one._in_this_thread), None)


class TorchRecording(RecordedBlock):
    """The events of a block of a program on PyTorch, complete after the end of the block."""

    _recorder: TorchRecorder | None

    def __init__(self, *, values: Detail = "all", part: Part | None = None, most_bytes: int = MOST_BYTES) -> None:
        super().__init__(most_bytes)
        self._detail = values
        self._part = part or Part()

    def __enter__(self) -> TorchRecording:
        self.begin(caller_of(sys._getframe(1)))
        return self

    def begin(self, frame: FrameType) -> None:
        """Record from a frame on, which is the outermost of the program's.

        Raises: RuntimeError where a recording is under way.
        """
        if self._recorder is not None:
            raise RuntimeError(
                f"This recording was made already, from line {self._line} of {self.filename}. Call "
                "backscope.pytorch.record() again for another one."
            )
        if _under_way:
            other = _under_way[-1]
            raise RuntimeError(
                f"A recording is under way already, from line {other._line} of {other.filename} in the thread "
                f"{other._thread}; there is one at a time. Let its with block end before the next one."
            )
        self._recorder = recorder = TorchRecorder(self._write, frame, self._detail, self._part)
        self.filename = shown_name(recorder.sources.filename)
        self._line = frame.f_lineno
        self._thread = threading.current_thread().name
        _under_way.append(self)
        recorder.program_started(self.filename)
        self._redirect(recorder.context.thread, recorder.printed)
        try:
            recorder.install()
        except BaseException:
            self._leave()
            raise

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        recorder = self._recorder
        if recorder is None or self not in _under_way:
            return
        self._leave()
        done = is_done(error)
        if error is not None and not done:
            recorder.errors.of_program(error)
        if self.status is not None:
            recorder.context.open = False
            self._end_cut()
            return
        failed = recorder.context.failure_text()
        recorder.finish("cut" if failed else "ok" if done else "error")
        self.status = "cut" if failed else "ok" if done else "error"
        if failed:
            print(failed, file=sys.stderr)

    def _leave(self) -> None:
        """Take everything away from PyTorch and Python that was put there."""
        assert self._recorder is not None
        try:
            self._recorder.remove()
        finally:
            self._put_streams_back()
            _under_way.remove(self)

    @property
    def _in_this_thread(self) -> bool:
        return self._recorder is not None and self._recorder.context.thread == threading.get_ident()

    def drain(self) -> None:
        if self._recorder is not None and self.status is None:
            self._recorder.journal.drain()

    def _stop(self) -> None:
        if self._recorder is not None:
            self._recorder.context.open = False

    # Any: a tensor, by what the program gives.
    def _number(self, tensor: Any) -> int:
        token = None
        if isinstance(tensor, torch.Tensor) and self._recorder is not None:
            token = self._recorder.identities.token_of(tensor)
        if token is None:
            raise ValueError("This tensor took no part in the recording.")
        return token.tensor

    # Any: as warnings.showwarning takes them.
    def _warning(
        self, message: Any, category: type[Warning], filename: str, lineno: int, file: Any = None, line: Any = None
    ) -> None:
        caller = None
        if str(Path(filename).parent) == ROOM:
            caller = caller_through(filename)
        elif is_between(filename) and self._recorder is not None:
            caller = self._recorder.code.own(sys._getframe(1))
        if caller is None:
            super()._warning(message, category, filename, lineno, file, line)
            return
        # The warning names a file whose frame the recording puts between PyTorch and its caller. It is given again at
        # the caller's line, as without the recording, so that the program's filters decide whether it is shown.
        for module in sys.modules.copy().values():
            if getattr(module, "__file__", None) == filename:
                vars(module).pop("__warningregistry__", None)
        warnings.onceregistry.pop((str(message), category), None)  # type: ignore[attr-defined]
        space = caller.f_globals
        registry = space.setdefault("__warningregistry__", {})
        name = space.get("__name__") or "<unknown>"
        place = caller.f_code.co_filename, caller.f_lineno
        warnings.warn_explicit(message, category, *place, module=name, registry=registry, source=None)

    def _warned(self, category: str, message: str, filename: str, line: int) -> None:
        recorder = self._recorder
        if recorder is not None:
            place = recorder.sources.line_in(filename, line)
            recorder.warned(category, message, recorder.code.line() if place is None else place)
