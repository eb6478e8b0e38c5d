"""`backscope.record()`: what happens in a block of any program, test or notebook cell, as a trace."""

from __future__ import annotations

import sys
import threading
from types import FrameType, TracebackType
from typing import Any

from backscope.autograd.thread import running
from backscope.program.frame_recorder import Block
from backscope.program.innermost_listener import innermost, put_innermost
from backscope.program.recorded_block import MOST_BYTES, RecordedBlock, caller_of, is_done, shown_name
from backscope.program.runner import versions
from backscope.program.transcript import Transcript
from backscope.protocol import events as ev
from backscope.random import default_generator
from backscope.recorder.recorder import Recorder
from backscope.tensor.tensor import Tensor

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


class Recording(RecordedBlock):
    """The events of a block, complete after the end of the block.

    `lines` has the encoded events, `filename` the file that the block is in.
    """

    _recorder: Recorder | None

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        super().__init__(most_bytes)
        self._block: Block | None = None
        self._whole: Transcript | None = None
        """The events of the program, if it is recorded as a whole."""

    def __enter__(self) -> Recording:
        if self._recorder is not None:
            raise RuntimeError(
                f"This recording was made already, from line {self._line} of {self.filename}. Call "
                "backscope.record() again for another one."
            )
        _refuse_a_second()
        frame = caller_of(sys._getframe(1))
        listener = innermost()
        if isinstance(listener, Recorder):
            return self._enter_whole(listener, frame)
        self._block = block = Block(self._write, frame)
        self._recorder = recorder = block.recorder
        self.filename = shown_name(block.sources.filename)
        self._line = frame.f_lineno
        self._thread = threading.current_thread().name
        recorder.program_started(
            self.filename, block.sources.text, default_generator.initial_seed() % 2**53, versions()
        )
        block.begin()
        self._redirect(block.thread, recorder.printed)
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
        self._put_streams_back()
        block.end(error)
        done = is_done(error)
        if error is not None and not done:
            block.report(error, "program")
        if self.status is None:
            recorder.program_finished("ok" if done else "error")
            recorder.drain()
            self.status = "ok" if done else "error"
        else:
            recorder.forget()
            self._end_cut()
        block.code.user_globals = None

    def drain(self) -> None:
        if self._recorder is not None:
            self._recorder.drain()
        if self._whole is not None and self.status is None:
            self._take(self._whole)

    def _stop(self) -> None:
        if self._block is not None:
            _stop_listening(self._block.recorder)

    def _number(self, tensor: Any) -> int:
        token = tensor._token if isinstance(tensor, Tensor) else None
        if token is None or self._recorder is None or token.identities is not self._recorder.identities:
            raise ValueError("This tensor took no part in the recording.")
        return int(token.tensor)

    def _enter_whole(self, recorder: Recorder, frame: FrameType) -> Recording:
        """Begin inside a program that is recorded as a whole, whose events up to the end of the block this has."""
        assert isinstance(recorder.journal.write, Transcript)
        self._recorder, self._whole = recorder, recorder.journal.write
        self._whole.under_way = self
        self.filename = shown_name(frame.f_code.co_filename)
        self._line = frame.f_lineno
        self._thread = threading.current_thread().name
        return self

    def _leave_whole(self, whole: Transcript, error: BaseException | None) -> None:
        whole.under_way = None
        if self.status is not None or self._recorder is None:
            return
        sys.stdout.flush()
        sys.stderr.flush()
        done = is_done(error)
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

    def _warned(self, category: str, message: str, filename: str, line: int) -> None:
        block = self._block
        if block is not None:
            block.recorder.warned(category, message, block.sources.line_in(filename, line))


def under_way() -> Recording | None:
    """Return the recording that this thread is in."""
    listener = innermost()
    if isinstance(listener, Recorder) and isinstance(listener.journal.write, Transcript):
        found: Recording | None = listener.journal.write.under_way
        return found
    return _under_way.get(listener) if isinstance(listener, Recorder) else None


def _refuse_a_second() -> None:
    listener = innermost()
    other = under_way()
    if other is None and isinstance(listener, Recorder) and not isinstance(listener.journal.write, Transcript):
        raise RuntimeError(
            "This program is being recorded already, as a whole. backscope.record() works in it where the program "
            "itself, and not a module of it alone, has `import backscope`."
        )
    if other is not None:
        raise RuntimeError(
            f"A recording is under way already, from line {other._line} of {other.filename} in the thread "
            f"{other._thread}; there is one at a time. Let its with block end before the next one."
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
