"""The moments of the recorder at which a program can stop."""

from backscope.recorder.recorder import Recorder
from backscope.runtime.listener import Listener, moments

_UNRECORDED = (Listener.function_entered, Listener.function_left, Listener.grad_replaced, Listener.step_started)
"""Moments of which no event is made."""

_OTHERWISE = (Listener.packed, Listener.stored)
"""Moments whose events are made with a later one, or for which the engine calls others where a program can stop."""

_OF_PROGRAM = (
    Recorder.changed,
    Recorder.failed,
    Recorder.module_named,
    Recorder.named,
    Recorder.printed,
    Recorder.warned,
)

MOMENTS = tuple(
    sorted(
        {*moments(Listener), *(method.__name__ for method in _OF_PROGRAM)}
        - {method.__name__ for method in (*_UNRECORDED, *_OTHERWISE)}
    )
)
"""The recorder's methods after which a program can stop."""

WHERE = {"accumulating": "before node", "node_told": "after node", "node_ran": "after node"}
"""Moments that are about the node which is given first."""

UNSEEN = frozenset({"accumulating", "backward_started", "node_ran", "node_started", "node_told"})
"""Moments within backward passes that change nothing which an expression could see."""

EVENTS_OF_A_MOMENT = 64
"""How many events one moment makes, but for steps of large optimizers."""
