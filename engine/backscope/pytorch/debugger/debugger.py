"""The debugger of a program on PyTorch: where it stops between its lines, after moments and in nodes of its passes."""

from __future__ import annotations

import os
import sys
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from types import FrameType
from typing import Any

import torch

from backscope.debugger.arming import Arming
from backscope.debugger.breakpoints.breakpoint_set import BreakpointSet
from backscope.debugger.command_loop import CommandLoop
from backscope.debugger.goal import Goal
from backscope.debugger.line_flags import LineFlags
from backscope.debugger.pausing import Pausing, Timer
from backscope.debugger.stepping import Parts, Stepping
from backscope.debugger.stoppable_files import StoppableFiles
from backscope.debugger.watching import Watching
from backscope.diagnosis.user_frame import Stack, user_stack
from backscope.protocol.transport import Transport
from backscope.pytorch.debugger.matching import TorchMatching
from backscope.pytorch.debugger.node_names import NodeNames
from backscope.pytorch.debugger.own_work import TorchOwnWork
from backscope.pytorch.debugger.pending import TorchPending
from backscope.pytorch.debugger.told_journal import ToldJournal
from backscope.pytorch.debugger.torch_tensors import TorchTensors
from backscope.pytorch.recorder import TorchRecorder

Gradients = Sequence[torch.Tensor | None]


class _NoChecks:
    """The recorder calls moment_recorded() at all moments: none of its methods is replaced."""

    def set(self, moments: tuple[str, ...], matches: Mapping[str, object]) -> None:
        """Do nothing."""

    def remove(self) -> None:
        """Do nothing."""


class TorchDebugger(Stepping):
    """The debugger of one run of a program on PyTorch, which has this `source`.

    The parts of the recorder call it where the program can stop, outside of their own work.  Nodes may run in threads
    of devices: one of them is stopped at a time, and the frames to look into are those of the thread that waits for the
    pass.  An error of the debugger's own ends the recording, and never reaches the program.
    """

    recorder: TorchRecorder

    def __init__(
        self, source: str, recorder: TorchRecorder, transport: Transport, timer: Timer, files: StoppableFiles
    ) -> None:
        context, identities = recorder.context, recorder.identities
        own_work, line_flags, goal = TorchOwnWork(context), LineFlags(), Goal(recorder)
        tensors = TorchTensors(context, identities)
        pending = TorchPending(source, recorder.names.bound)
        breakpoints = BreakpointSet(
            files, pending, lambda armed: TorchMatching(identities, recorder.names, armed, line_flags.set_all)
        )
        watching = Watching(recorder, own_work, tensors)
        checks = _NoChecks()
        arming = Arming(breakpoints, goal, watching, line_flags, checks)
        commands = CommandLoop(transport, recorder, breakpoints, goal, watching, own_work, tensors)
        pausing = Pausing(
            recorder, context.passes, lambda node: node, timer, commands, goal, arming, watching, own_work
        )
        super().__init__(
            recorder,
            Parts(files, own_work, line_flags, goal, breakpoints, watching, checks, arming, commands, pausing),
        )
        journal = recorder.journal
        assert isinstance(journal, ToldJournal)
        self._journal = journal
        self._context = context
        self._turn = threading.RLock()
        self._process = os.getpid()
        weakly = weakref.ref(self)
        os.register_at_fork(after_in_child=lambda: _forked(weakly))

    def begin(self) -> None:
        """Carry out the commands that have come before the program runs."""
        self._context.stops = self
        self._journal.told = self._told
        self.recorder.identities.released = self._released
        super().begin()

    def end(self) -> None:
        """Stop nothing any more, and refuse the commands that still come: the program is over."""
        self._away()
        super().end()

    def _away(self) -> None:
        self._context.stops = None
        self._journal.told = None
        self.recorder.identities.released = None
        self._line_flags.set(every_line=False, lines=(), exceptions=False)

    def forked(self) -> None:
        """Leave a process that the program has made alone: its parent is the one that is debugged."""
        self._away()
        self._context.open = False

    # Any: a moment, as the journal has it.
    def _told(self, moment: tuple[Any, ...]) -> None:
        if not self._own_work.active:
            self._breakpoints.matching.told(moment)

    def _released(self, tensor: int) -> None:
        if not self._own_work.active:
            self._breakpoints.matching.released(tensor)

    def stop_here(self, for_steps: bool = False, for_breakpoints: bool = False, nesting: int = 0) -> None:
        """Stop before a line if a breakpoint or the goal of a step says so; the program calls this, its flag being set.

        Lines that other threads run do not stop.
        """
        if not self._context.listens():
            return
        try:
            self.stop_in(sys._getframe(1), for_steps, for_breakpoints, nesting)
        except Exception as error:  # noqa: BLE001 - the program must not get it
            self._fail(error)

    def raised_here(self) -> None:
        """Stop where an exception leaves a function of the program or is caught in one; the program calls this."""
        if not self._context.listens():
            return
        try:
            self._context.look()
            self.raised(sys.exc_info()[1])
        except Exception as error:  # noqa: BLE001
            self._fail(error)

    def moment(self, what: str = "", called: str | None = None) -> None:
        """Stop if something that was recorded just now reaches a breakpoint or the goal of a step.

        `what` is "backward_started" where a pass is about to run.  `called` is the function of PyTorch's API that has
        returned.
        """
        if self._own_work.active or not self._context.listens():
            return
        try:
            with self._turn:
                self._after_moment(what, called)
        except Exception as error:  # noqa: BLE001
            self._fail(error)

    def _after_moment(self, what: str, called: str | None) -> None:
        if self._watching.active:
            self._watching.sample()
        matching = self._breakpoints.matching
        if called is not None and matching.ops:
            matching.called(called)
        if matching.reached.entries and self._goal.kind != "end":
            self.stop_at_breakpoints(matching.reached, "moment")
        elif self._reached_goal() or (self._goal.kind == "backward" and what == "backward_started"):
            self._pausing.stop(self._goal.reason, "moment", stack=self._stack())

    def _reached_goal(self) -> bool:
        """Return whether the goal of a step is reached after a moment."""
        goal = self._goal
        if goal.kind in ("moment", "pause"):
            return goal.has_new_events()
        if goal.kind == "seq":
            if goal.reached_target():
                return True
            if goal.becomes_near():
                self._arming.arm()
        return False

    def before_node(self, node: int, name: str, leaf: int | None, gradients: Gradients) -> Gradients:
        """Stop before a node runs, if it is to; return the gradients that it runs on, which the user may change.

        The node is that of a `leaf`, or made by an op.
        """
        if self._own_work.active or not self._context.listens():
            return gradients
        matching = self._breakpoints.matching
        of = self.recorder.identities.values.of
        try:
            with self._turn:
                if matching.non_finite.armed:
                    matching.non_finite.arriving(node, [of(g) for g in gradients])
                if not self._arming.at_nodes:
                    return gradients
                names = NodeNames(_running(), gradients, None, self._context.quiet)
                if self._goal.reached_at_node():
                    self._pausing.stop(self._goal.reason, "before node", node=node, stack=self._stack(), names=names)
                elif self._goal.kind != "end":
                    matching.before_node(node, name, leaf, [of(g) for g in gradients])
                    self.stop_at_breakpoints(matching.reached, "before node", node, names=names)
                return names.changed or gradients
        except Exception as error:  # noqa: BLE001
            self._fail(error)
            return gradients

    def after_node(
        self, node: int, name: str, gradients: Gradients, sent: Gradients, change: Callable[[Gradients], None]
    ) -> Gradients:
        """Stop after a node ran, if it is to; return what it sends, which the user may change."""
        if self._own_work.active or not self._context.listens():
            return sent
        matching = self._breakpoints.matching
        try:
            with self._turn:
                if self._goal.kind != "end":
                    matching.nodes.after_node(node, name)
                if self._watching.active:
                    self._watching.sample()
                names = NodeNames(_running(), gradients, sent, self._context.quiet, change)
                if matching.reached.entries and self._goal.kind != "end":
                    self.stop_at_breakpoints(matching.reached, "after node", node, names=names)
                elif self._reached_goal():
                    self._pausing.stop(self._goal.reason, "after node", node=node, stack=self._stack(), names=names)
                return names.changed or sent
        except Exception as error:  # noqa: BLE001
            self._fail(error)
            return sent

    def backward_failed(self, error: BaseException, node: int | None) -> None:
        """Stop where a pass ended with an error, if a breakpoint or the goal of a step says so."""
        if self._own_work.active or not self._context.listens():
            return
        matching = self._breakpoints.matching
        try:
            with self._turn:
                matching.failed(error, node)
                if matching.reached.entries and self._goal.kind != "end":
                    self.stop_at_breakpoints(matching.reached, "moment", error=error)
                elif self._goal.kind == "node" or self._reached_goal():
                    self._pausing.stop(self._goal.reason, "moment", error=error, stack=self._stack())
        except Exception as failure:  # noqa: BLE001
            self._fail(failure)

    def _stack(self) -> Stack:
        """Return the user's frames; for a node in a thread of a device, those of the thread that waits for its pass."""
        own = threading.get_ident() == self._context.thread
        frame: FrameType | None = sys._getframe(1) if own else sys._current_frames().get(self._context.thread)
        return user_stack(frame, self.recorder.code)

    def _fail(self, error: Exception) -> None:
        self._own_work.active = False
        self._context.fail(error)
        self._away()


# Any: a node of PyTorch's.
def _running() -> Any:
    """Return the node that runs in this thread, None where PyTorch does not say."""
    running = getattr(torch._C, "_current_autograd_node", None)
    return None if running is None else running()


def _forked(debugger: weakref.ref[TorchDebugger]) -> None:
    one = debugger()
    if one is not None:
        one.forked()
