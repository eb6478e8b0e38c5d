"""What all parts of a recording share: whether it goes on, its thread, its journal, and where the program is."""

from __future__ import annotations

import sys
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from pathlib import PurePath
from traceback import walk_tb
from types import FrameType, TracebackType
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

import torch

from backscope.program.source_code import SourceCode
from backscope.pytorch.part import Part
from backscope.recorder.journal import Journal
from backscope.recorder.narration.code_location import Location
from backscope.runtime.engine_frames import chained, entries

ROOM = str(PurePath(__file__).parent)
"""The folder of this room."""
_OVERRIDES = torch.overrides.__file__


class Passes:
    """The backward passes that are under way, innermost last.

    `calls` has their numbers, `line` the place of the innermost call and `frames` the ids of the frames that made the
    calls.  Nodes run in several threads: those of devices, and one for each level of deeply nested passes.
    """

    def __init__(self) -> None:
        self.calls: list[int] = []
        self.frames: list[int] = []
        self.line: Location = None
        self.sent: int | None = None
        """The node of a recorded pass that ran last: what PyTorch adds up until the next one is of its gradients."""
        self.ran: tuple[Any, ...] | None = None
        """The moment that this node has run, which comes after those sums."""
        self._running: defaultdict[int, list[int]] = defaultdict(list)

    @property
    def running(self) -> list[int]:
        """The numbers of the nodes that run in this thread, innermost last."""
        return self._running[threading.get_ident()]

    @property
    def call(self) -> int | None:
        """The number of the innermost call, None outside of any."""
        return self.calls[-1] if self.calls else None

    @property
    def node(self) -> int | None:
        """The node that runs in this thread, None if none does."""
        running = self.running
        return running[-1] if running else None

    def left_running(self, depth: int) -> int | None:
        """Return the node that did not end: in this thread above a depth, or else in one of a device."""
        own = self.running
        if len(own) > depth:
            return own[-1]
        if len(self.calls) > 1:  # Threads of passes around this one have nodes that go on.
            return None
        return next((nodes[-1] for nodes in self._running.values() if nodes is not own and nodes), None)

    def leave(self, calls: int, nodes: int, line: Location) -> None:
        """Forget the passes above a number of calls, and the nodes of this thread above a number."""
        del self.calls[calls:], self.frames[calls:], self.running[nodes:]
        if not self.calls:
            self._running.clear()
        self.line = line


class StopPoints(Protocol):
    """The debugger: its methods are called where the program can stop, outside of the recorder's own work."""

    def moment(self, what: str = "", called: str | None = None) -> None:
        """Stop if something that was recorded just now says so."""

    def before_node(
        self, node: int, name: str, leaf: int | None, gradients: Sequence[torch.Tensor | None]
    ) -> Sequence[torch.Tensor | None]:
        """Stop before a node runs; return the gradients that it runs on."""

    def after_node(
        self,
        node: int,
        name: str,
        gradients: Sequence[torch.Tensor | None],
        sent: Sequence[torch.Tensor | None],
        change: Callable[[Sequence[torch.Tensor | None]], None],
    ) -> Sequence[torch.Tensor | None]:
        """Stop after a node ran; return what it sends, with which `change` is called each time that it is changed."""

    def backward_failed(self, error: BaseException, node: int | None) -> None:
        """Stop where a pass ended with an error."""


class Context:
    """The state of a recording that its parts read.

    `open` until it ends; `api` has the names of PyTorch's functions that are being called, outermost first, `stepping`
    the optimizers whose step runs or was ended by an error, and `functions` counts the custom Functions whose forward()
    runs.  `failure` is the error of the recording itself that ended it.
    """

    def __init__(self, journal: Journal, code: SourceCode, passes: Passes, part: Part) -> None:
        self.open = True
        self.lock = threading.RLock()
        self.quiet = Quiet()
        self.thread = threading.get_ident()
        self.journal = journal
        self.code = code
        self.passes = passes
        self.part = part
        self.api: list[str] = []
        self.stepping: list[Any] = []
        self.functions = 0
        self.stops: StopPoints | None = None
        """The debugger, None where there is none."""
        self.by_hand = False
        """Whether the user of a debugger changes something."""
        self.failure: Exception | None = None
        self.look: Callable[[], object] = lambda: None
        """Records what the user's frames have bound since the last time."""
        self.resolve: Callable[[], None] = lambda: None
        """Records the ops whose calls are over."""
        self.ops_seen: Any = None
        """Decides whether ops are seen; see OpsSeen."""

    def listens(self) -> bool:
        """Return True where what happens is the program's, in the thread that is recorded."""
        if not self.open or self.quiet.depth or not self.part.open:
            return False
        thread = threading.get_ident()
        if thread == self.thread:
            return True
        # Passes on other devices run their nodes in threads of PyTorch's, which Python knows not, or as a dummy once
        # threading.current_thread() was called there.
        known = threading._active.get(thread)  # type: ignore[attr-defined]
        return bool(self.passes.calls) and (known is None or isinstance(known, threading._DummyThread))

    def innermost(self) -> FrameType | None:
        """Return the innermost frame of the program."""
        return self.code.own(sys._getframe(1))

    def called(self) -> Iterator[FrameType]:
        """Yield the frames of what the program's innermost frame has called, innermost first."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and not self.code.owns(frame):
            yield frame
            frame = frame.f_back

    def in_import(self) -> bool:
        """Return True in a module that is not the program's and that is being imported: PyTorch imports some late."""
        if self.by_hand:
            return False
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and not self.code.owns(frame):  # Without called(): each call of PyTorch asks for it.
            if frame.f_code.co_name == "<module>":
                return True
            frame = frame.f_back
        return False

    def in_step(self) -> bool:
        """Return True in the code of an optimizer's step, but not in the program's own, such as a closure."""
        return bool(self.stepping) and any(
            frame.f_globals.get("__name__") == "torch.optim.optimizer" and frame.f_code.co_name != "zero_grad"
            for frame in self.called()
        )

    def in_formula(self) -> bool:
        """Return True in a node of a pass, but not in a hook or a custom Function of the program."""
        return bool(self.passes.running) and not self.by_hand and self.in_pass()

    def in_pass(self) -> bool:
        """Return True where the program's innermost frame is the one that called the pass under way."""
        frame = self.innermost()
        return frame is None or id(frame) == self.passes.frames[-1]

    def location(self) -> Location:
        """Return where the program is."""
        return self.code.location()

    def where(self) -> Location:
        """Return where the program is; within a backward pass, the place of the call."""
        return self.passes.line if self.passes.calls else self.code.location()

    # Any: the arguments of the function that makes the moment's events.
    def add(self, *moment: Any) -> None:
        """Record a moment."""
        with self.lock:
            if self.open:
                self.journal.add(*moment)

    def settle(self) -> None:
        """Record that the last node of a recorded pass has run, after the sums of what it sent."""
        passes = self.passes
        if passes.sent is not None:
            self.resolve()
            passes.sent, ran, passes.ran = None, passes.ran, None
            if ran is not None:
                self.add(*ran)

    def stop_point(self, what: str = "", called: str | None = None) -> None:
        """Have the debugger stop the program, if there is one and what was recorded says so."""
        if self.stops is not None:
            self.stops.moment(what, called)

    def fail(self, error: Exception) -> None:
        """End the recording for an error of its own."""
        if self.failure is None:
            self.failure = error
        self.open = False

    def failure_text(self) -> str | None:
        """Return what is said of an error that ended the recording, None where there is none."""
        if self.failure is None:
            return None
        *_, (frame, line) = walk_tb(self.failure.__traceback__)
        place = f"{PurePath(frame.f_code.co_filename).name}, line {line}"
        return (
            "Backscope could not record what happened from here on; the program itself is not affected. Please report "
            f"this: {type(self.failure).__name__} in {place}: {self.failure}"
        )


class Quiet(threading.local):
    """A context manager in which the recording calls PyTorch itself: nothing is recorded, nor added to the graph.

    It counts for the thread that enters it; `depth` is how often that has.
    """

    def __init__(self) -> None:
        self.depth = 0
        self._guards: tuple[Any, ...] = ()
        self._grad = False

    def __enter__(self) -> None:
        self.depth += 1
        if self.depth == 1:
            self._guards = torch._C.DisableTorchFunction(), torch._C._DisableTorchDispatch()
            for guard in self._guards:
                guard.__enter__()
            self._grad = torch.is_grad_enabled()
            torch._C._set_grad_enabled(False)

    def __exit__(self, *left: object) -> None:
        if self.depth == 1:
            torch._C._set_grad_enabled(self._grad)
            for guard in reversed(self._guards):
                guard.__exit__(*left)
        self.depth -= 1


class HasContext(Protocol):
    """A part of the recorder."""

    @property
    def context(self) -> Context:
        """The state that it shares."""


S = TypeVar("S", bound=HasContext)
P = ParamSpec("P")
R = TypeVar("R")


def guarded(method: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R | None]:
    """Decorate a method that records: it does nothing once the recording has ended, and its errors end it.

    One thread records at a time.
    """

    @wraps(method)
    def record(self: S, *given: P.args, **named: P.kwargs) -> R | None:
        if not self.context.open:
            return None
        try:
            with self.context.lock:
                return method(self, *given, **named)
        except Exception as error:  # noqa: BLE001 - the program must not get it
            self.context.fail(error)
            return None

    return record  # type: ignore[return-value] # It takes the same arguments, by position or by name.


def caller_in(module: str) -> FrameType | None:
    """Return the innermost frame on the stack that is in a file whose path ends so, None where none is."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and not frame.f_code.co_filename.endswith(module):
        frame = frame.f_back
    return frame


def caller_through(file: str) -> FrameType | None:
    """Return the frame that called PyTorch by way of a frame of a file of this room; None without such a frame.

    A function that PyTorch wrote in Python calls itself again by way of the modes: its first frame is none of interest.
    """
    frame = caller_in(file)
    twice = False
    while frame is not None and is_between(frame.f_code.co_filename):
        twice = twice or frame.f_code.co_name == "handle_torch_function"
        frame = frame.f_back
    return frame.f_back if twice and frame is not None else frame


def is_between(file: str) -> bool:
    """Return True for a file whose frames a recording puts between those of the program and of PyTorch."""
    return file.startswith((ROOM, _OVERRIDES))


def without_recording(trace: TracebackType | None) -> TracebackType | None:
    """Return a traceback as it were without a recording: of a function that is called again the second call alone."""
    kept: list[TracebackType] = []
    again = False
    for entry in entries(trace):
        code = entry.tb_frame.f_code
        again = again or (code.co_name == "handle_torch_function" and bool(kept))
        if is_between(code.co_filename):
            continue
        if again and kept[-1].tb_frame.f_code is code:
            kept.pop()
        again = False
        kept.append(entry)
    return chained(kept)
