"""The moments of the recorder at which a program can stop."""

from backscope.recorder.program_listener import ProgramListener
from backscope.runtime.listener import moments

_NOT = (
    ProgramListener.function_entered,
    ProgramListener.function_left,
    ProgramListener.grad_replaced,
    ProgramListener.kept,
    ProgramListener.name_given_up,
    ProgramListener.packed,
    ProgramListener.program_finished,
    ProgramListener.program_started,
    ProgramListener.step_started,
    ProgramListener.stored,
)
"""Moments that record nothing, and moments that are always followed by another one before the program goes on."""

MOMENTS = tuple(sorted({*moments(ProgramListener)} - {method.__name__ for method in _NOT}))
"""The moments after which a program can stop."""

WHERE = {
    ProgramListener.accumulating.__name__: "before node",
    ProgramListener.gradients_sent.__name__: "after node",
    ProgramListener.node_ran.__name__: "after node",
}
"""The place of a stop after a moment, for moments with the node as their first argument."""

WITHOUT_NEW_VALUES = frozenset(
    method.__name__
    for method in (
        ProgramListener.accumulating,
        ProgramListener.backward_started,
        ProgramListener.node_ran,
        ProgramListener.node_started,
        ProgramListener.gradients_sent,
    )
)
"""Moments within backward passes after which no watched expression can have another value."""

EVENTS_OF_A_MOMENT = 64
"""The most events that one moment makes, except for steps of large optimizers."""
