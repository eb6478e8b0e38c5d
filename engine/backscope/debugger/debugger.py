"""The debugger of a program on the engine: where it stops in passes and after the recorder's moments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from backscope.autograd.accumulate_inputs import ListenedPass
from backscope.autograd.node import AccumulateGrad, Node
from backscope.debugger.arming import Arming
from backscope.debugger.attribution.gradient_trace import Starting
from backscope.debugger.breakpoints.breakpoint_set import BreakpointSet
from backscope.debugger.breakpoints.matching import Matching
from backscope.debugger.breakpoints.node_breakpoints import keys_of
from backscope.debugger.breakpoints.pending import Pending
from backscope.debugger.command_loop import CommandLoop
from backscope.debugger.engine_tensors import EngineTensors
from backscope.debugger.goal import Goal
from backscope.debugger.line_flags import LineFlags
from backscope.debugger.moment_checks import MomentChecks
from backscope.debugger.own_work import EngineOwnWork
from backscope.debugger.pausing import Pausing, Timer
from backscope.debugger.stepping import Parts, Stepping
from backscope.debugger.stoppable_files import OwnFolder, StoppableFiles
from backscope.debugger.watching import Watching
from backscope.protocol.transport import Transport
from backscope.recorder.recorder import Recorder
from backscope.runtime.listener import Listener
from backscope.runtime.listening import hub


class Debugger(Stepping):
    """The debugger of one run of a program on the engine, which has this `source` and its `own` files."""

    recorder: Recorder

    def __init__(
        self,
        source: str,
        filename: str,
        own: OwnFolder | None,
        recorder: Recorder,
        transport: Transport,
        timer: Timer,
    ) -> None:
        files, own_work, line_flags = StoppableFiles(filename, own), EngineOwnWork(), LineFlags()
        goal = Goal(recorder)
        tensors = EngineTensors(recorder)
        breakpoints = BreakpointSet(
            files, Pending(source, recorder.names.bound), lambda armed: Matching(recorder, armed, line_flags.set_all)
        )
        watching = Watching(recorder, own_work, tensors)
        checks = MomentChecks(recorder, breakpoints, watching, own_work, self)
        arming = Arming(breakpoints, goal, watching, line_flags, checks)
        commands = CommandLoop(transport, recorder, breakpoints, goal, watching, own_work, tensors)
        pausing = Pausing(recorder, recorder.passes, self._identity, timer, commands, goal, arming, watching, own_work)
        super().__init__(
            recorder,
            Parts(files, own_work, line_flags, goal, breakpoints, watching, checks, arming, commands, pausing),
        )

    def _identity(self, node: Node | None) -> int | None:
        token = None if node is None else node.token
        return None if token is None or token.identities is not self.recorder.identities else int(token.node)

    def begin(self) -> None:
        """Carry out the commands that have come before the program runs; it was made stoppable by now."""
        hub.debugger = self
        super().begin()

    def end(self) -> None:
        """Stop nothing any more, and refuse the commands that still come: the program is over."""
        hub.debugger = None
        super().end()

    def nodes(self, order: list[Node], pass_: ListenedPass) -> Iterator[Node]:
        """Yield the nodes of a recorded pass in their order, and stop between them if breakpoints or steps say so."""
        recorder, arming, goal, breakpoints = self.recorder, self._arming, self._goal, self._breakpoints
        matching: Matching | None = None
        hot: set[Node] = set()
        record = recorder.gradients_sent
        for node in order:
            if recorder.gradients_sent is not record:  # The checks were changed in a stop within a node.
                record = recorder.gradients_sent
                pass_.gradients_sent = _listener().gradients_sent
            if not arming.at_nodes:
                yield node
                continue
            if matching is not breakpoints.matching:
                matching = breakpoints.matching
                hot = matching.among(order)
            if goal.kind is None and node not in hot:
                yield node
                continue
            self.before_node(node)
            record = recorder.gradients_sent
            pass_.gradients_sent = _listener().gradients_sent  # A stop may have changed the checks.
            yield node
            self.after_node(node)

    def before_node(self, node: Node) -> None:
        """Stop before a node of a pass runs, if it is to; leaves' nodes stop when accumulating() is recorded."""
        if not self._arming.at_nodes or self._own_work.active or node.__class__ is AccumulateGrad:
            return
        if self._goal.reached_at_node():
            self._pausing.stop(self._goal.reason, "before node", node=node)
        elif self._goal.kind != "end":
            matching = self._breakpoints.matching
            matching.before_node(node)
            self.stop_at_breakpoints(matching.reached, "before node", node)

    def after_node(self, node: Node) -> None:
        """Stop after a node of a pass ran, if a breakpoint says so."""
        matching = self._breakpoints.matching
        if (
            matching.nodes.after
            and self._goal.kind != "end"
            and not self._own_work.active
            and node.__class__ is not AccumulateGrad
        ):
            matching.nodes.after_node(*keys_of(node))
            self.stop_at_breakpoints(matching.reached, "after node", node)

    def moment_recorded(self, moment: str, arguments: tuple[Any, ...]) -> None:
        """Stop if the goal of a step is reached after a moment that was recorded with `arguments`."""
        goal, stop = self._goal, self._pausing.stop
        kind = goal.kind
        if kind in ("moment", "pause"):
            if goal.has_new_events():
                stop(goal.reason, "moment", starting=self._starting(moment, arguments))
        elif kind == "seq":
            if goal.reached_target():
                stop("step", "moment", starting=self._starting(moment, arguments))
            elif goal.becomes_near():
                self._arming.arm()
        elif kind == "backward" and moment == "backward_started":
            stop("step", "moment", starting=self._starting(moment, arguments))
        elif kind == "node" and moment == "accumulating":
            stop("step", "before node", node=arguments[0])
        elif kind == "node" and moment == "backward_failed":
            stop("step", "moment", error=arguments[0])

    def _starting(self, moment: str, arguments: tuple[Any, ...]) -> Starting | None:
        if moment != "backward_started":
            return None
        task, _, _, roots, *_ = arguments
        return Starting(roots, task, self.recorder)


def _listener() -> Listener:
    """Return the listener of the pass that is under way."""
    assert hub.listener is not None
    return hub.listener
