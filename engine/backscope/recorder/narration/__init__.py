"""Makes events of the moments that the journal keeps: one function for each kind of moment.

The journal calls it with the narrator, the seq of the first event, the line, and what the moment was recorded with.
"""

from backscope.recorder.narration.backward_moments import (
    backward_finished,
    backward_started,
    buffers_freed,
    grad_accumulated,
    grad_cleared,
    gradient_captured,
    hook_ran,
    node_started,
)
from backscope.recorder.narration.forward_moments import (
    PLAIN,
    Shown,
    frozen,
    frozen_all,
    function_applied,
    graph_rebased,
    node_created,
    requires_grad_changed,
    tensor_created,
    tensor_kept,
    tensor_mutated,
    text,
)
from backscope.recorder.narration.frequent import applied, grad_stored, gradients_sent, node_ran, tensor_named
from backscope.recorder.narration.mode_changes import (
    grad_mode_changed,
    hook_registered,
    hook_removed,
    module_hook_registered,
)
from backscope.recorder.narration.module_moments import (
    module_described,
    module_entered,
    module_left,
    transform_entered,
    transform_left,
)
from backscope.recorder.narration.narrator import Narrator
from backscope.recorder.narration.op_json import op_applied
from backscope.recorder.narration.optimizer_steps import optimizer_stepped
from backscope.recorder.narration.program_moments import (
    error_raised,
    output_printed,
    paused,
    program_finished,
    program_started,
    resumed,
    sampled,
    source_added,
    value_changed,
    warning_raised,
)
from backscope.recorder.narration.saving import (
    checkpoint_entered,
    checkpoint_left,
    recomputation_finished,
    recomputation_started,
    saved_tensor_packed,
    saved_tensor_unpacked,
    tangent_computed,
)

__all__ = [
    "PLAIN",
    "Narrator",
    "Shown",
    "applied",
    "backward_finished",
    "backward_started",
    "buffers_freed",
    "checkpoint_entered",
    "checkpoint_left",
    "error_raised",
    "frozen",
    "frozen_all",
    "function_applied",
    "grad_accumulated",
    "grad_cleared",
    "grad_mode_changed",
    "grad_stored",
    "gradient_captured",
    "gradients_sent",
    "graph_rebased",
    "hook_ran",
    "hook_registered",
    "hook_removed",
    "module_described",
    "module_entered",
    "module_hook_registered",
    "module_left",
    "node_created",
    "node_ran",
    "node_started",
    "op_applied",
    "optimizer_stepped",
    "output_printed",
    "paused",
    "program_finished",
    "program_started",
    "recomputation_finished",
    "recomputation_started",
    "requires_grad_changed",
    "resumed",
    "sampled",
    "saved_tensor_packed",
    "saved_tensor_unpacked",
    "source_added",
    "tangent_computed",
    "tensor_created",
    "tensor_kept",
    "tensor_mutated",
    "tensor_named",
    "text",
    "transform_entered",
    "transform_left",
    "value_changed",
    "warning_raised",
]
