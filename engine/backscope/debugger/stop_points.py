"""The moments of the recorder at which a program can stop."""

MOMENTS = (
    "accumulated", "accumulating", "aliased", "applied", "backward_failed", "backward_finished",
    "backward_started", "captured", "changed", "checkpoint_entered", "checkpoint_left", "created", "failed",
    "function_applied", "grad_cleared", "hook_ran", "hook_registered", "hook_removed", "module_entered",
    "module_hook_registered", "module_left", "module_named", "mutated", "named", "node_ran", "node_started",
    "node_told", "op", "parameters_moved", "printed", "rebased", "recomputation_finished",
    "recomputation_started", "requires_grad_changed", "step_finished", "tangent_computed", "transform_entered",
    "transform_left", "unpacked", "warned",
)  # fmt: skip
"""The recorder's methods after which a program can stop."""

WHERE = {"accumulating": "before node", "node_told": "after node", "node_ran": "after node"}
"""Moments that are about the node which is given first."""

UNSEEN = frozenset({"accumulating", "backward_started", "node_ran", "node_started", "node_told"})
"""Moments within backward passes that change nothing which an expression could see."""

EVENTS_OF_A_MOMENT = 64
"""How many events one moment makes, but for steps of large optimizers."""
