// The words of captions, which events make a step, and how ops are written.
//
// Generated from engine/backscope/protocol/sentences.toml; do not edit. After a change there, in the folder web:
//     python -m backscope.protocol.sentences src/protocol

export const HOOK_KINDS = {
  "node pre": "pre-hook",
  "multi grad": "multi-grad hook",
  "callback": "callback",
  "module forward pre": "forward pre-hook",
  "module forward": "forward hook",
  "module backward pre": "backward pre-hook",
  "module backward": "backward hook",
  "optimizer step pre": "step pre-hook",
  "optimizer step post": "step post-hook"
} as const;

export const STEPS = {
  "begins": [
    "requires_grad_changed",
    "module_hook_registered",
    "backward_started",
    "grad_cleared",
    "optimizer_stepped",
    "node_started",
    "checkpoint_entered",
    "recomputation_started",
    "recomputation_finished",
    "value_changed"
  ],
  "begins_between_nodes": [
    "hook_removed",
    "hook_ran",
    "saved_tensor_unpacked",
    "gradient_captured",
    "output_printed",
    "warning_raised"
  ],
  "waits_between_nodes": [
    "node_created",
    "graph_rebased",
    "grad_mode_changed",
    "module_described",
    "module_entered",
    "transform_entered",
    "round_started",
    "function_entered"
  ],
  "joins": [
    "program_started",
    "source_added",
    "tensor_named",
    "tensor_kept",
    "tensor_released",
    "node_released",
    "module_left",
    "transform_left",
    "loop_finished",
    "function_left",
    "gradient_sent",
    "saved_tensor_packed",
    "checkpoint_left",
    "node_finished",
    "buffer_freed",
    "paused",
    "resumed"
  ],
  "by_rule": [
    "hook_registered",
    "tangent_computed",
    "tensor_created",
    "op_applied",
    "grad_accumulated",
    "tensor_mutated",
    "backward_finished",
    "error_raised",
    "program_finished"
  ],
  "follows": [
    "node_released",
    "tensor_released",
    "tensor_named",
    "tensor_kept",
    "module_left",
    "transform_left",
    "loop_finished",
    "function_left",
    "paused",
    "resumed"
  ],
  "goes_on": [
    "tensor_created",
    "op_applied",
    "backward_started",
    "grad_cleared",
    "optimizer_stepped",
    "output_printed",
    "warning_raised"
  ]
} as const;
