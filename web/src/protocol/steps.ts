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

export const WRITTEN = {
  "pointwise": [
    "log",
    "log2",
    "log10",
    "log1p",
    "sqrt",
    "rsqrt",
    "reciprocal",
    "exp",
    "exp2",
    "expm1",
    "tan",
    "acos",
    "asin",
    "acosh",
    "atanh",
    "sinh",
    "cosh",
    "lgamma",
    "digamma",
    "logit",
    "erfinv",
    "square"
  ],
  "sign_variants": [
    "all",
    "dim",
    "scalar",
    "tensor",
    "bounds"
  ],
  "variants": [
    "all",
    "dim",
    "dims",
    "scalar",
    "tensor",
    "bounds",
    "number",
    "of_number"
  ],
  "signs": {
    "add": "+",
    "sub": "−",
    "rsub": "−",
    "mul": "×",
    "div": "÷",
    "pow": "^",
    "mm": "@",
    "matmul": "@",
    "bmm": "@",
    "mv": "@",
    "dot": "·"
  },
  "infix": {
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "bitwise_and": "&",
    "bitwise_or": "|",
    "bitwise_xor": "^",
    "remainder": "%",
    "floor_divide": "//"
  },
  "names": {
    "unsafe_view": "reshape",
    "reshape_alias": "reshape",
    "to_copy": "to",
    "safe_softmax": "softmax",
    "log_sigmoid": "logsigmoid",
    "native_layer_norm": "layer_norm",
    "native_group_norm": "group_norm",
    "native_batch_norm": "batch_norm",
    "native_batch_norm_legit": "batch_norm",
    "native_batch_norm_legit_no_stats": "batch_norm",
    "batch_norm_with_update": "batch_norm",
    "native_dropout": "dropout",
    "max_pool2d_with_indices": "max_pool2d",
    "max_pool3d_with_indices": "max_pool3d",
    "scaled_dot_product_flash_attention_for_cpu": "scaled_dot_product_attention",
    "linalg_vector_norm": "norm",
    "constant_pad_nd": "pad",
    "prelu_kernel": "prelu",
    "rrelu_with_noise": "rrelu",
    "unsafe_split": "split",
    "unsafe_split_with_sizes": "split",
    "split_with_sizes": "split",
    "unsafe_masked_index": "index",
    "clamp_min": "clamp",
    "clamp_max": "clamp",
    "cdist_forward": "cdist",
    "euclidean_dist": "cdist",
    "pdist_forward": "pdist",
    "weight_norm_interface": "weight_norm",
    "copy_in_layout": "copy",
    "fw_primal": "primal"
  }
} as const;
