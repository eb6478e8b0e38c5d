// The event protocol, one interface for each kind of event and each struct in it.
//
// Generated from engine/backscope/events.py; do not edit. After a change there, in the folder web:
//     python -m backscope.schema > src/protocol/schema.json && node scripts/generate-protocol.mjs

export const PROTOCOL_VERSION = 1;

export type Event =
  | ProgramStarted
  | TensorCreated
  | TensorNamed
  | TensorMutated
  | RequiresGradChanged
  | TensorReleased
  | NodeCreated
  | NodeReleased
  | OpApplied
  | ModuleDescribed
  | ModuleEntered
  | ModuleLeft
  | TransformEntered
  | TransformLeft
  | RoundStarted
  | LoopFinished
  | GradModeChanged
  | GraphRebased
  | BackwardStarted
  | NodeStarted
  | GradientSent
  | HookRegistered
  | HookRan
  | HookRemoved
  | SavedTensorPacked
  | SavedTensorUnpacked
  | CheckpointEntered
  | CheckpointLeft
  | RecomputationStarted
  | RecomputationFinished
  | TangentComputed
  | NodeFinished
  | BufferFreed
  | GradAccumulated
  | GradientCaptured
  | GradCleared
  | BackwardFinished
  | OptimizerStepped
  | OutputPrinted
  | WarningRaised
  | ErrorRaised
  | ProgramFinished;
export type Scalar = number | NonFinite;
export type NonFinite = '-Infinity' | 'Infinity' | 'NaN';
export type TensorElement = Scalar | Scalar[];

/**
 * A run began; `versions` names backscope, python, numpy and the PyTorch that is followed.
 */
export interface ProgramStarted {
  kind: 'program_started';
  seq: number;
  line: number | null;
  protocol: number;
  filename: string;
  source: string;
  seed: number;
  versions: {
    [k: string]: string;
  };
}
/**
 * A tensor came to be without a tracked op: by a creation function (`origin`, e.g. "randn") or as a gradient.
 */
export interface TensorCreated {
  kind: 'tensor_created';
  seq: number;
  line: number | null;
  origin: string;
  info: TensorInfo;
}
/**
 * A tensor as it was when the program got it; `base` is the tensor that it is a view of.
 */
export interface TensorInfo {
  tensor: number;
  storage: number;
  version: number;
  requires_grad: boolean;
  is_leaf: boolean;
  base: number | null;
  value: Summary;
}
/**
 * What a tensor held at one moment.
 *
 * `values` are in row-major order: all of them up to 256 elements, the first 16 of a larger tensor.  `min`, `max` and
 * `mean` are None for complex and empty tensors, for tensors with a NaN, and above 4,096 elements, where they are
 * computed on demand; `norm` is the 2-norm over all elements.  Units: `strides` in elements, `nbytes` in bytes.
 */
export interface Summary {
  shape: number[];
  dtype: string;
  strides: number[];
  nbytes: number;
  min: Scalar | null;
  max: Scalar | null;
  mean: Scalar | null;
  norm: Scalar | null;
  nan_count: number;
  inf_count: number;
  values: TensorElement[];
}
/**
 * A variable of the user's program was bound to a tensor.
 */
export interface TensorNamed {
  kind: 'tensor_named';
  seq: number;
  line: number | null;
  tensor: number;
  name: string;
}
/**
 * A tensor changed in place: its version, shared by all views of `storage`, is now `version`.
 */
export interface TensorMutated {
  kind: 'tensor_mutated';
  seq: number;
  line: number | null;
  tensor: number;
  storage: number;
  version: number;
  op: string;
  value: Summary;
}
/**
 * A tensor began or ceased to require grad other than by an op.
 */
export interface RequiresGradChanged {
  kind: 'requires_grad_changed';
  seq: number;
  line: number | null;
  tensor: number;
  requires_grad: boolean;
}
/**
 * The last Python reference to a tensor went; saved copies of its storage may live on.
 */
export interface TensorReleased {
  kind: 'tensor_released';
  seq: number;
  line: number | null;
  tensor: number;
}
/**
 * The tape got a node that no op made: an AccumulateGrad for the leaf `tensor`; None for any other.
 */
export interface NodeCreated {
  kind: 'node_created';
  seq: number;
  line: number | null;
  node: number;
  name: string;
  tensor: number | null;
}
/**
 * A node of the tape was dropped, with whatever it still saved.
 */
export interface NodeReleased {
  kind: 'node_released';
  seq: number;
  line: number | null;
  node: number;
}
/**
 * An op ran forward; `node` is None where nothing was tracked.
 *
 * `in_place` ops have the changed tensor as their output.  During a backward pass with create_graph, `during` is the
 * node whose formula applied this op.  `module_path` is where it ran as the user sees it, e.g.
 * "model.encoder.layers.0", during a formula the path of that node's own op, None outside of modules; `repeat` has the
 * 1-based rounds of the program's loops around it, outermost first.
 */
export interface OpApplied {
  kind: 'op_applied';
  seq: number;
  line: number | null;
  op: string;
  inputs: Argument[];
  outputs: TensorInfo[];
  node: NodeInfo | null;
  in_place: boolean;
  is_view: boolean;
  during: number | null;
  module_path: string | null;
  repeat: number[];
}
/**
 * One argument of an op: a tensor by its identity, anything else as its Python text.
 */
export interface Argument {
  name: string;
  tensor: number | null;
  text: string | null;
}
/**
 * A node of the tape; `sequence_nr` orders the backward pass, highest first.
 */
export interface NodeInfo {
  node: number;
  name: string;
  sequence_nr: number;
  next_functions: (Edge | null)[];
  saved: SavedTensor[];
  attributes: {
    [k: string]: string;
  };
}
/**
 * An entry of `next_functions`: where the gradient of one input goes.
 */
export interface Edge {
  node: number;
  output_nr: number;
}
/**
 * A tensor kept for a node's backward formula, e.g. slot `_saved_self`; `is_output` for the op's own result.
 */
export interface SavedTensor {
  slot: string;
  tensor: number | null;
  storage: number;
  version: number;
  nbytes: number;
  is_output: boolean;
}
/**
 * A module is about to be called for the first time; `text` is what its repr shows between brackets.
 *
 * `path` begins with the program's variable, e.g. "model.encoder.layers.0"; a module that no variable leads to is
 * called by its class.  `parameters` are its own, without those of modules inside it.
 */
export interface ModuleDescribed {
  kind: 'module_described';
  seq: number;
  line: number | null;
  module: number;
  type: string;
  path: string;
  text: string;
  parameters: NamedTensor[];
}
/**
 * A tensor by the name that it has inside of something.
 */
export interface NamedTensor {
  name: string;
  tensor: number;
}
/**
 * A module is called; what happens until `module_left` of this `call` happens in it.
 *
 * `caller` is the call of the module whose forward() calls it, and `times` counts the calls within that one, or within
 * the program.  A module that is shared has the `path` by which this caller reaches it.
 */
export interface ModuleEntered {
  kind: 'module_entered';
  seq: number;
  line: number | null;
  call: number;
  module: number;
  path: string;
  caller: number | null;
  times: number;
}
/**
 * A call of a module returned or raised.
 */
export interface ModuleLeft {
  kind: 'module_left';
  seq: number;
  line: number | null;
  call: number;
}
/**
 * A transform of torch.func runs a function: what happens until `transform_left` of this `depth` is inside it.
 *
 * `transform` is "grad" (reverse mode: grad, vjp, jacrev and the like), "jvp" or "vmap"; `depth` is 1 for the
 * outermost.  Gradients inside of it are its own: they need no requires_grad, and no backward() is told of.
 */
export interface TransformEntered {
  kind: 'transform_entered';
  seq: number;
  line: number | null;
  transform: string;
  depth: number;
}
/**
 * A transform is done.
 */
export interface TransformLeft {
  kind: 'transform_left';
  seq: number;
  line: number | null;
  depth: number;
}
/**
 * A loop of the program is in its round number `round`, 1-based; told with the first thing that happens in it.
 *
 * `loop` numbers the times that loops are run; `line` is that of the loop, `text` its head, e.g. "for x, y in data",
 * and `outer` the loop around it that is under way.
 */
export interface RoundStarted {
  kind: 'round_started';
  seq: number;
  line: number | null;
  loop: number;
  outer: number | null;
  round: number;
  text: string;
}
/**
 * A loop that was told of is over after `rounds`.
 */
export interface LoopFinished {
  kind: 'loop_finished';
  seq: number;
  line: number | null;
  loop: number;
  rounds: number;
}
/**
 * Ops are recorded from here on ("grad"), or are not: `mode` is "no_grad", "inference" or "function".
 *
 * "function" is the inside of a custom Function's forward(), which then is an op itself.  Told with the first op that
 * this matters for, outside backward passes.
 */
export interface GradModeChanged {
  kind: 'grad_mode_changed';
  seq: number;
  line: number | null;
  mode: string;
}
/**
 * A tensor's grad_fn was replaced because it, its base or a view of it was changed in place.
 */
export interface GraphRebased {
  kind: 'graph_rebased';
  seq: number;
  line: number | null;
  tensor: number;
  node: NodeInfo;
}
/**
 * backward() or autograd.grad() began: call number `call`, started from node `root_nodes[i]` with `gradients[i]`.
 *
 * `api` is "backward" or "grad"; `parent` is the call whose hook or formula started this one.
 */
export interface BackwardStarted {
  kind: 'backward_started';
  seq: number;
  line: number | null;
  call: number;
  api: string;
  parent: number | null;
  roots: number[];
  root_nodes: number[];
  gradients: Summary[];
  implicit_gradient: boolean;
  retain_graph: boolean;
  create_graph: boolean;
  inputs: number[] | null;
}
/**
 * A node is about to run with one incoming gradient for each output of its op; None where none arrived.
 */
export interface NodeStarted {
  kind: 'node_started';
  seq: number;
  line: number | null;
  call: number;
  node: number;
  gradients: (Summary | null)[];
}
/**
 * A node sent the gradient of its input number `input_nr` along its edge.
 *
 * `reduced_from` is the shape before a broadcast was folded back by a sum.  `total` is what waits at the receiver
 * after adding this contribution, None when it is the first.
 */
export interface GradientSent {
  kind: 'gradient_sent';
  seq: number;
  line: number | null;
  call: number;
  node: number;
  input_nr: number;
  to_node: number;
  output_nr: number;
  value: Summary;
  reduced_from: number[] | null;
  total: Summary | null;
}
/**
 * The user hung a hook on a tensor, or on a node where `tensor` is None; `where` is as in hook_ran.
 *
 * `node` is the tensor's grad_fn then, None for a leaf.
 */
export interface HookRegistered {
  kind: 'hook_registered';
  seq: number;
  line: number | null;
  where: string;
  hook: string;
  tensor: number | null;
  node: number | null;
}
/**
 * A user's hook saw a gradient (in a module's forward pass: a value); `after` is None where it returned nothing.
 *
 * `where` is "tensor", "node pre", "node post", "post accumulate", "multi grad", "callback", "module forward pre",
 * "module forward", "module backward pre", "module backward", "optimizer step pre" or "optimizer step post".
 * `module` is the path of the module whose hook it is, or the class of the optimizer.
 */
export interface HookRan {
  kind: 'hook_ran';
  seq: number;
  line: number | null;
  call: number | null;
  where: string;
  hook: string;
  module: string | null;
  tensor: number | null;
  node: number | null;
  before: Summary | null;
  after: Summary | null;
}
/**
 * The user took a hook away again: the first of these that was registered.
 */
export interface HookRemoved {
  kind: 'hook_removed';
  seq: number;
  line: number | null;
  where: string;
  hook: string;
  tensor: number | null;
  node: number | null;
}
/**
 * A pack hook was given what a node saves in `slot` and keeps `packed` instead: its Python text, or its type.
 */
export interface SavedTensorPacked {
  kind: 'saved_tensor_packed';
  seq: number;
  line: number | null;
  node: number;
  slot: string;
  hook: string;
  value: Summary;
  packed: string;
}
/**
 * An unpack hook gave back the tensor that a node needs.
 */
export interface SavedTensorUnpacked {
  kind: 'saved_tensor_unpacked';
  seq: number;
  line: number | null;
  call: number | null;
  node: number;
  slot: string;
  hook: string;
  value: Summary;
}
/**
 * A function began to run under checkpoint number `checkpoint`, without saving tensors for its backward.
 */
export interface CheckpointEntered {
  kind: 'checkpoint_entered';
  seq: number;
  line: number | null;
  checkpoint: number;
  function: string;
  reentrant: boolean;
}
/**
 * The forward pass of a checkpointed function is over.
 */
export interface CheckpointLeft {
  kind: 'checkpoint_left';
  seq: number;
  line: number | null;
  checkpoint: number;
}
/**
 * The function of a checkpoint runs again, because `node` needs what it did not save.
 */
export interface RecomputationStarted {
  kind: 'recomputation_started';
  seq: number;
  line: number | null;
  call: number | null;
  checkpoint: number;
  node: number | null;
}
/**
 * The recomputation of a checkpoint is over.
 */
export interface RecomputationFinished {
  kind: 'recomputation_finished';
  seq: number;
  line: number | null;
  checkpoint: number;
}
/**
 * A tensor of a forward-mode pass got its tangent: from `op`, or from the user where that is None.
 */
export interface TangentComputed {
  kind: 'tangent_computed';
  seq: number;
  line: number | null;
  tensor: number;
  level: number;
  op: string | null;
  value: Summary;
}
/**
 * A node has run and sent its gradients.
 */
export interface NodeFinished {
  kind: 'node_finished';
  seq: number;
  line: number | null;
  call: number;
  node: number;
}
/**
 * A node let go of a saved tensor; the memory is free when nobody else holds `storage`.
 */
export interface BufferFreed {
  kind: 'buffer_freed';
  seq: number;
  line: number | null;
  node: number;
  slot: string;
  storage: number;
  nbytes: number;
}
/**
 * A leaf's `.grad` received a gradient.
 *
 * `in_place` when the existing `.grad` object was changed, False when it was replaced; `grad` is the tensor that
 * `.grad` is now.
 */
export interface GradAccumulated {
  kind: 'grad_accumulated';
  seq: number;
  line: number | null;
  call: number;
  node: number;
  tensor: number;
  grad: number;
  before: Summary | null;
  added: Summary;
  after: Summary;
  in_place: boolean;
}
/**
 * A gradient was kept on its way: in `.grad` by retain_grad ("grad") or as autograd.grad's result ("result").
 */
export interface GradientCaptured {
  kind: 'gradient_captured';
  seq: number;
  line: number | null;
  call: number;
  node: number;
  tensor: number | null;
  into: string;
  value: Summary;
}
/**
 * `.grad` was set to None ("none") or replaced ("assigned"), `by` the "user" or the "optimizer".
 *
 * Zeroing it in place is a tensor_mutated of the gradient.
 */
export interface GradCleared {
  kind: 'grad_cleared';
  seq: number;
  line: number | null;
  tensor: number;
  how: string;
  by: string;
  value: Summary | null;
}
/**
 * backward() or autograd.grad() returned, or ended with the error that follows.
 */
export interface BackwardFinished {
  kind: 'backward_finished';
  seq: number;
  line: number | null;
  call: number;
  failed: boolean;
}
/**
 * An optimizer's step number `number` is over: what it did to each parameter.
 *
 * `unchanged` are the parameters that it left alone, having no gradient.  A tensor_mutated of each change follows,
 * but for those that were told while they happened, as of an optimizer that the program itself defines.
 */
export interface OptimizerStepped {
  kind: 'optimizer_stepped';
  seq: number;
  line: number | null;
  optimizer: string;
  number: number;
  groups: ParameterGroup[];
  updates: ParameterUpdate[];
  unchanged: number[];
}
/**
 * What some of an optimizer's parameters share, as it was in this step.
 *
 * `options` are those that are neither None nor False, as Python text.
 */
export interface ParameterGroup {
  lr: Scalar | null;
  options: {
    [k: string]: string;
  };
}
/**
 * What one optimizer step did to one parameter.
 *
 * `name` is its path or variable, `group` counts the optimizer's groups from 0, `change` is `after` minus `before`:
 * None for what is too large to be compared at every step.  `grad` is its `.grad` after the step, and `state` what
 * the optimizer remembers of it, e.g. "momentum_buffer" or "exp_avg": tensors, and the Python text of what is none.
 */
export interface ParameterUpdate {
  tensor: number;
  name: string | null;
  group: number;
  before: Summary;
  grad: Summary | null;
  after: Summary;
  change: Summary | null;
  state: {
    [k: string]: string | Summary;
  };
}
/**
 * The program wrote text; `stream` is "stdout" or "stderr".
 */
export interface OutputPrinted {
  kind: 'output_printed';
  seq: number;
  line: number | null;
  stream: string;
  text: string;
}
/**
 * The program or the engine warned.
 */
export interface WarningRaised {
  kind: 'warning_raised';
  seq: number;
  line: number | null;
  category: string;
  message: string;
}
/**
 * An exception.
 *
 * `stage` is "syntax" (nothing ran), "engine" (raised by an op or a backward pass; the program may yet catch it),
 * "program" (left the program and ended it), or "limit" (the run was stopped from outside: time, memory, output,
 * a crash).  `node` is the node that was running, `column` the 1-based column of a syntax error.
 */
export interface ErrorRaised {
  kind: 'error_raised';
  seq: number;
  line: number | null;
  stage: string;
  type: string;
  message: string;
  column: number | null;
  traceback: TracebackLine[];
  node: number | null;
  diagnosis: Diagnosis | null;
}
/**
 * One frame of the user's code in a traceback, outermost first.
 */
export interface TracebackLine {
  line: number;
  function: string;
  text: string;
}
/**
 * Why an error happened, computed from the tape: the cause, the lines and identities involved, what to do.
 */
export interface Diagnosis {
  cause: string;
  fix: string;
  lines: number[];
  nodes: number[];
  tensors: number[];
}
/**
 * The run is over: `status` is "ok", "error", "stopped" (by the user) or "limit".
 */
export interface ProgramFinished {
  kind: 'program_finished';
  seq: number;
  line: number | null;
  status: string;
}
