"""The journal of a recording: moments as they come, and their events once it drains.

A moment is a tuple that begins with the function that makes its events, a token of something that died, or a loop's
mark.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from operator import length_hint
from pathlib import PurePath
from typing import Any

from backscope.autograd.node import next_sequence_nr
from backscope.protocol import fitting
from backscope.recorder import narration as say
from backscope.recorder.identity import NodeToken, Token
from backscope.recorder.narration.loops import AGAIN, MARKS, ROUND
from backscope.recorder.user_code import UserCode
from backscope.runtime import recursion_room
from backscope.runtime.signal_mask import postpone, resume

LOST = "RecordingWarning"
"""The category of the warning that says that something could not be recorded."""


class Journal:
    """Collects moments and gives encoded events to `write`, in batches.

    `write` gets bytes: one or more events, a line each.  `names` has the names of tensors by number and
    `nodes_without_op` numbers of nodes; the journal removes those that were released.  `written` is called after each
    batch.
    """

    BATCH = 512

    __slots__ = (
        "_code", "_names", "_nodes_without_op", "died", "draining", "first_sequence_nr", "lines", "losses", "moments",
        "narrator", "seq", "unwritten", "write", "written",
    )  # fmt: skip

    def __init__(
        self, write: Callable[[bytes], None], code: UserCode, names: dict[int, str], nodes_without_op: set[int]
    ) -> None:
        self.write = write
        self.moments: list[Any] = []
        self.died = self.moments.append
        self.seq = 0
        self.first_sequence_nr = next_sequence_nr() + 1
        self.narrator = say.Narrator(self.first_sequence_nr)
        self.lines: list[bytes] = []
        self.draining = False
        self.losses: set[tuple[str, int]] = set()
        """Where moments were lost, in the engine's files: each is reported once."""
        self.unwritten: BaseException | None = None
        """What `write` raised: the recording cannot go on."""
        self.written: Callable[[], None] | None = None
        self._code = code
        self._names = names
        self._nodes_without_op = nodes_without_op

    def add(self, *moment: Any) -> None:
        """Record a moment; drains when enough have come together."""
        self.moments.append(moment)
        if len(self.moments) >= self.BATCH:
            self.drain()

    def marked(self, mark: int) -> None:
        """A loop of the program is entered, goes round or is left; rounds in which nothing happens are one moment."""
        moments = self.moments
        if mark % MARKS == ROUND:
            try:
                last = moments[-1]
                if last.__class__ is int and last % AGAIN == mark:
                    moments[-1] = last + AGAIN
                    return
            except IndexError:  # The timer may empty the list at any time.
                pass
        moments.append(mark)
        if len(moments) >= self.BATCH:
            self.drain()

    def called(self, mark: int) -> None:
        """A function of the program is entered or left; recursion may have left no frame for a call from here."""
        moments = self.moments
        moments += (mark,)

    def drain(self) -> None:
        """Build, encode and write the events of all moments so far.

        Where the events of a moment cannot be made, that moment alone is lost: those around it are written, without a
        gap, and a warning that says so.  A moment that memory was too short for is kept for the next time.  Signals
        wait: what their handlers raise would leave a gap.
        """
        if self.draining:
            return
        try:
            room = recursion_room.give()
        except RecursionError:  # What waits is written the next time.
            return
        try:
            before = postpone()
        except BaseException:
            recursion_room.take_back(room)
            raise
        try:
            self.draining = True
            if self.lines:
                self._write()
            while self.moments:
                count = len(self.moments)
                moments = self.moments[:count]
                del self.moments[:count]
                waiting = iter(moments)
                again = 0
                try:
                    while self._narrate(waiting):
                        pass
                except MemoryError:
                    again = 1
                    raise
                finally:
                    self.moments[:0] = moments[count - length_hint(waiting) - again :]
                    if self.lines:
                        self._write()
        finally:
            self.draining = False
            recursion_room.take_back(room)
            resume(before)

    def live_tensors(self) -> set[int] | None:
        """Write all moments so far; return the numbers of the tensors that exist, None where moments are left."""
        self.drain()
        return None if self.moments else set(self.narrator.places)

    def live_storages(self) -> set[int] | None:
        """Write all moments so far; return the storages of tensors and saved tensors, None where moments are left."""
        self.drain()
        return None if self.moments else self.narrator.live_storages()

    def _narrate(self, waiting: Iterator[Any]) -> bool:
        """Make the events of the moments that wait; True where one was lost, and the others still wait."""
        narrator, lines = self.narrator, self.lines
        tell, loops = narrator.tell, narrator.loops
        begun = self.seq
        events: Any
        try:
            for moment in waiting:
                begun = self.seq
                kind = moment.__class__
                if kind is int:
                    events = narrator.mark(begun, moment)
                else:
                    if loops.moved and not _is_stop(moment):
                        for event in loops.news(begun):
                            lines.append(fitting.encode(event))
                            self.seq += 1
                    if kind is Token:
                        self._names.pop(moment.tensor, None)
                        lines.append(narrator.tensor_released(self.seq, moment.tensor))
                        self.seq += 1
                        continue
                    if kind is NodeToken:
                        self._nodes_without_op.discard(moment.node)
                        lines.append(narrator.node_released(self.seq, moment.node))
                        self.seq += 1
                        continue
                    events = tell(self.seq, moment)
                    if events.__class__ is list:
                        lines += events
                        self.seq += len(events)
                        continue
                for event in events:
                    lines.append(fitting.encode(event))
                    self.seq += 1
        except MemoryError:
            del lines[len(lines) - (self.seq - begun) :]
            self.seq = begun
            raise
        except Exception as error:
            self.lost(error)
            return True
        return False

    def lost(self, error: Exception) -> None:
        """Warn that a moment could not be recorded, once for each place in the engine that raised.

        Raises: the error, where the recording is not at fault: no room on the stack or in memory, events that cannot be
        written, or an exception from the program's signal handler.
        """
        if isinstance(error, (MemoryError, RecursionError)) or error is self.unwritten or _of_program(error):
            raise error
        with suppress(Exception):
            *_, (frame, line) = traceback.walk_tb(error.__traceback__)
            place = frame.f_code.co_filename, line
            if place not in self.losses:
                self.losses.add(place)
                # Not the error's text: that of a KeyError asks an object of the program's for its own.
                what = f"{type(error).__name__} in {PurePath(place[0]).name}, line {line}"
                message = (
                    "Backscope could not record what happened here, so that a part of this run is missing. The program "
                    f"itself is not affected. Please report this: {what}."
                )
                self.moments.append((say.warning_raised, self._code.line(), LOST, message))

    def _write(self) -> None:
        """Write the lines; where memory is too short for the summaries of their values, they are kept."""
        events = fitting.finish(self.narrator.finish(b"\n".join([*self.lines, b""])))
        self.lines.clear()
        if self.written is not None:
            self.written()
        try:
            self.write(events)
        except Exception as error:
            self.unwritten = error
            raise


_OWN = sys.stdlib_module_names | {"backscope", "ml_dtypes", "msgspec", "numpy"}


def _of_program(error: Exception) -> bool:
    """Whether an error comes from a function of the program, other than one by which Python asks an object."""
    for frame, _ in traceback.walk_tb(error.__traceback__):
        if str(frame.f_globals.get("__name__", "backscope")).partition(".")[0] not in _OWN:
            name = frame.f_code.co_name
            return name == "__call__" or not (name.startswith("__") and name.endswith("__"))
    return False


def _is_stop(moment: Any) -> bool:
    """Whether a moment was recorded by the debugger: it adds no events to those of a run without one."""
    return moment.__class__ is tuple and moment[0] in (say.paused, say.resumed, say.sampled)
