"""The journal of a recording: moments as they come, and their events once it drains.

A moment is a tuple that begins with the function that tells it, a token of something that died, or a loop's mark.
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
from backscope.diagnosis.user_frame import Frames
from backscope.protocol import fitting
from backscope.recorder import narration as say
from backscope.recorder.identity import NodeToken, Token
from backscope.recorder.narration.loops import AGAIN, MARKS, ROUND
from backscope.runtime import recursion_room
from backscope.runtime.listener import Listener
from backscope.runtime.signal_mask import postpone, resume
from backscope.summary.summary import Held
from backscope.tensor.tensor import Tensor

LOST = "RecordingWarning"
"""The category of the warning that says that something could not be recorded."""


class Journal(Listener):
    """Collects moments and gives encoded events to `write`, in batches.

    `user_globals` are the globals of the user's program: the innermost frame that has them is the user's line.
    `write` gets bytes: one or more events, a line each.  `grad_mode` is the mode that was told last, `inside` counts
    the calls of forward() of custom Functions that are under way, `sent` has the copies of small gradients that
    the node told last has sent, where these wait as they are.
    """

    BATCH = 512

    # Attributes in slots are found at once, and so are methods of an object that has slots alone, whichever class a
    # debugger makes it of; those of an object with a dict are not.
    __slots__ = (
        "_call_line", "_changed_at", "_stepped", "bound", "calls", "count", "died", "draining", "first_sequence_nr",
        "grad_mode", "held", "held_bytes", "inside", "lines", "losses", "moments", "names", "narrator", "outer",
        "packs", "parameter_values", "reported", "running", "sent", "seq", "strangers", "unwritten", "user_globals",
        "views", "write",
    )  # fmt: skip

    def __init__(self, write: Callable[[bytes], None], user_globals: dict[str, Any] | None = None) -> None:
        self.write = write
        self.user_globals = user_globals
        self.moments: list[Any] = []
        self.died = self.moments.append
        self.seq = 0
        self.count = 0
        self.calls: list[int] = []
        self.outer: list[tuple[int, int | None]] = []
        self.running: list[Any] = []
        self.names: dict[int, str] = {}
        self.bound: dict[str, int] = {}
        self.reported: BaseException | None = None
        self.strangers: set[int] = set()
        self.packs: list[tuple[Any, ...]] = []
        self.held: dict[int, Held] = {}
        self.views: dict[int, list[Held]] = {}
        self.held_bytes = 0
        self.sent: dict[int, Any] = {}
        self.parameter_values: dict[int, tuple[int, Any]] = {}
        self._changed_at: dict[int, int | None] = {}
        self._stepped: dict[int, str] = {}
        self._call_line: int | None = None
        self.first_sequence_nr = next_sequence_nr() + 1
        self.narrator = say.Narrator(self.first_sequence_nr)
        self.lines: list[bytes] = []
        self.draining = False
        self.losses: set[tuple[str, int]] = set()
        """Where moments were lost, in the engine's files: each is reported once."""
        self.unwritten: BaseException | None = None
        """What `write` raised: the recording cannot go on."""
        self.grad_mode = "grad"
        self.inside = 0

    def identity(self) -> int:
        """A fresh identity."""
        self.count += 1
        return self.count

    def line(self) -> int | None:
        """The user's line that is running."""
        frame: Any = sys._getframe(2)
        wanted = self.user_globals
        while frame is not None:
            if frame.f_globals is wanted:
                return frame.f_lineno  # type: ignore[no-any-return] # None where Python has none.
            frame = frame.f_back
        return None

    def spot(self) -> Any:
        """Where the user's code is, as what narration makes the line from."""
        frame: Any = sys._getframe(2)
        wanted = self.user_globals
        while frame is not None:
            if frame.f_globals is wanted:
                return frame.f_code, frame.f_lasti
            frame = frame.f_back
        return None

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
                        self.names.pop(moment.tensor, None)
                        lines.append(narrator.tensor_released(self.seq, moment.tensor))
                        self.seq += 1
                        continue
                    if kind is NodeToken:
                        self.strangers.discard(moment.node)
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
        """A moment cannot be told, for a fault of the recording's own: say so once for each place of the fault.

        Raises: the error, where it is not: no room on the stack or in memory, events that cannot be written, or what a
        handler of signals of the program's raised meanwhile.
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
                self.moments.append((say.warning_raised, self.line(), LOST, message))

    def _write(self) -> None:
        """Write the lines; where memory is too short for the summaries of their values, they are kept."""
        events = fitting.finish(self.narrator.finish(b"\n".join([*self.lines, b""])))
        self.lines.clear()
        self.let_go()
        try:
            self.write(events)
        except Exception as error:
            self.unwritten = error
            raise

    def let_go(self) -> None:
        """What was held for the events is written."""

    def saved_in(self, node: Any, slot: str) -> tuple[int | None, int | None]:
        """The tensor that a node saved in a slot and its storage, as they were told."""
        self.drain()
        told = self.narrator.saved.get(node.token.node, ()) if node.token is not None else ()
        return next(((tensor, storage) for name, tensor, storage, _ in told if name == slot), (None, None))

    def made_at(self, node: Any) -> int | None:
        """The line whose op made a node."""
        return self.narrator.lines.line(node.token.line) if node.token is not None else None

    def freed_at(self, node: Any) -> int | None:
        """The line of the backward pass that freed a node's saved tensors."""
        return self.narrator.lines.line(node.token.freed) if node.token is not None else None

    def changed_at(self, storage: int | None) -> int | None:
        """The line that last changed a storage in place."""
        return None if storage is None else self.narrator.lines.line(self._changed_at.get(storage))

    def stepped(self, storage: int | None) -> str | None:
        """The optimizer whose step was the last change of a storage, None for any other change."""
        return None if storage is None else self._stepped.get(storage)

    def born_at(self, tensor: Tensor) -> int | None:
        """The line that made a tensor."""
        return self.narrator.lines.line(tensor._token.line) if tensor._token is not None else None

    def program_started(self, *moment: Any) -> None:
        """A run begins."""
        self.add(say.program_started, None, *moment)

    def printed(self, stream: str, text: str) -> None:
        """The program wrote text."""
        self.add(say.output_printed, self.line(), stream, text)

    def warned(self, category: str, message: str, line: int | None) -> None:
        """A warning was given."""
        self.add(say.warning_raised, line, category, message)

    def failed(
        self,
        stage: str,
        kind: str,
        message: str,
        line: int | None,
        column: int | None,
        trace: Frames,
        node: Any,
        why: Any,
    ) -> None:
        """An exception was raised or caught."""
        number = None if node is None or node.token is None else node.token.node
        self.add(say.error_raised, line, stage, kind, message, column, trace, number, why)

    def program_finished(self, status: str) -> None:
        """A run is over."""
        self.add(say.program_finished, None, status)


_OWN = sys.stdlib_module_names | {"backscope", "ml_dtypes", "msgspec", "numpy"}


def _of_program(error: Exception) -> bool:
    """Whether an error comes from a function of the program, other than one by which Python asks an object."""
    for frame, _ in traceback.walk_tb(error.__traceback__):
        if str(frame.f_globals.get("__name__", "backscope")).partition(".")[0] not in _OWN:
            name = frame.f_code.co_name
            return name == "__call__" or not (name.startswith("__") and name.endswith("__"))
    return False


def _is_stop(moment: Any) -> bool:
    """Whether a moment is of the debugger, for which nothing else is to be told than without it."""
    return moment.__class__ is tuple and moment[0] in (say.paused, say.resumed, say.sampled)
