"""The journal of a recording: collects moments, and writes their events when it drains.

A moment is a tuple that begins with the function that makes its events, the token of a tensor or node that was
released, or a number that marks a loop or a function of the program.
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
from backscope.recorder.identity import Token
from backscope.recorder.narration.loops import AGAIN, MARKS, ROUND
from backscope.recorder.user_code import UserCode
from backscope.runtime import recursion_room
from backscope.runtime.passive import class_name, is_a, traceback_of
from backscope.runtime.signal_mask import postpone, resume

LOST = "RecordingWarning"
"""The category of the warning that something could not be recorded."""


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
        self.narrator = say.Narrator(self.first_sequence_nr, code.others)
        self.lines: list[bytes] = []
        self.draining = False
        self.losses: set[tuple[str, int]] = set()
        """File and line in the engine of each error by which a moment was lost: each is reported once."""
        self.unwritten: BaseException | None = None
        """The error that `write` raised, after which the recording cannot continue."""
        self.written: Callable[[], None] | None = None
        self._code = code
        self._names = names
        self._nodes_without_op = nodes_without_op

    # Any: the arguments of the function that makes the moment's events.
    def add(self, *moment: Any) -> None:
        """Record a moment; drain if a batch is full."""
        self.moments.append(moment)
        if len(self.moments) >= self.BATCH:
            self.drain()

    def marked(self, mark: int) -> None:
        """Record that a loop of the program is entered, begins a round or is left; empty rounds are one moment."""
        moments = self.moments
        if mark % MARKS == ROUND:
            try:
                last = moments[-1]
                if last.__class__ is int and last % AGAIN == mark:
                    moments[-1] = last + AGAIN
                    return
            except IndexError:  # A timer may empty the list at any time.
                pass
        moments.append(mark)
        if len(moments) >= self.BATCH:
            self.drain()

    def called(self, mark: int) -> None:
        """Record that a function of the program is entered or left, without a call: recursion may leave no frame."""
        moments = self.moments
        moments += (mark,)

    def drain(self) -> None:
        """Build, encode and write the events of all moments so far.

        If the events of a moment cannot be made, that moment alone is lost: those around it are written, without a gap
        in `seq`, and a warning.  A moment that there was not enough memory for is kept for the next time.  Signals are
        postponed, because an exception of a handler would leave a gap.
        """
        if self.draining:
            return
        try:
            room = recursion_room.give()
        except RecursionError:  # The next drain writes these moments.
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
        """Make the events of these moments; return True if one was lost before the others were made."""
        narrator, lines = self.narrator, self.lines
        events_of, loops = narrator.events_of, narrator.loops
        tensor_released, node_released = narrator.tensor_released, narrator.node_released
        forget_name, forget_node = self._names.pop, self._nodes_without_op.discard
        add = lines.append
        seq = begun = self.seq
        events: Any
        try:
            for moment in waiting:
                begun = seq
                kind = moment.__class__
                if kind is int:
                    events = narrator.mark(seq, moment)
                else:
                    if loops.moved and not _is_stop(moment):
                        for event in narrator.news(seq):
                            add(fitting.encode(event))
                            seq += 1
                    if kind is tuple:
                        events = events_of(seq, moment)
                        if events.__class__ is list:
                            lines += events
                            seq += len(events)
                            continue
                    elif kind is Token:
                        forget_name(moment.tensor, None)
                        add(tensor_released(seq, moment.tensor))
                        seq += 1
                        continue
                    else:
                        forget_node(moment.node)
                        add(node_released(seq, moment.node))
                        seq += 1
                        continue
                for event in events:
                    add(fitting.encode(event))
                    seq += 1
        except MemoryError:
            del lines[len(lines) - (seq - begun) :]
            seq = begun
            raise
        except Exception as error:
            self.lost(error)
            return True
        finally:
            self.seq = seq
        return False

    def lost(self, error: Exception) -> None:
        """Warn that a moment could not be recorded, once for each place in the engine that raised.

        Raises: the error, if the recorder did not cause it: no room on the stack or in memory, events that cannot be
        written, or an exception of the program's signal handler.
        """
        if is_a(error, (MemoryError, RecursionError)) or error is self.unwritten or _of_program(error):
            raise error
        with suppress(Exception):
            *_, (frame, line) = traceback.walk_tb(traceback_of(error))
            place = frame.f_code.co_filename, line
            if place not in self.losses:
                self.losses.add(place)
                # Not the error's text: that of a KeyError calls __repr__ of an object of the program.
                what = f"{class_name(type(error))} in {PurePath(place[0]).name}, line {line}"
                message = (
                    "Backscope could not record what happened here, so that a part of this run is missing. The program "
                    f"itself is not affected. Please report this: {what}."
                )
                self.moments.append((say.warning_raised, self._code.line(), LOST, message))

    def _write(self) -> None:
        """Write the lines; keep them if there is not enough memory for the summaries of their values."""
        events = fitting.finish(self.narrator.finish(b"\n".join([*self.lines, b""])))
        self.lines.clear()
        if self.written is not None:
            self.written()
        try:
            self.write(events)
        except Exception as error:
            self.unwritten = error
            raise


_OWN = sys.stdlib_module_names | {"backscope", "ml_dtypes", "msgspec", "numpy", "orjson"}


def _of_program(error: Exception) -> bool:
    """Return True if an error comes from a function of the program, other than a special method such as __eq__."""
    for frame, _ in traceback.walk_tb(traceback_of(error)):
        if str(frame.f_globals.get("__name__", "backscope")).partition(".")[0] not in _OWN:
            name = frame.f_code.co_name
            return name == "__call__" or not (name.startswith("__") and name.endswith("__"))
    return False


def _is_stop(moment: object) -> bool:
    """Return True for a moment that the debugger recorded, which a run without a debugger has not."""
    return moment.__class__ is tuple and moment[0] in (say.paused, say.resumed, say.sampled)
