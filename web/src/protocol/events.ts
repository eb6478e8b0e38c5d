// The protocol, one interface for each kind of event, command and answer, and for each struct in them.
//
// Generated from engine/backscope/protocol/events/ and commands.py; do not edit. After a change there, in the folder web:
//     python -m backscope.protocol.schema > src/protocol/schema.json && node scripts/generate-protocol.mjs

export const PROTOCOL_VERSION = 2;

/** The defaults of fields that older traces do not have, by kind of event. */
export const DEFAULTS: Record<string, Record<string, unknown>> = {
  error_raised: {frames_left_out: 0},
  op_applied: {hidden: []},
  checkpoint_entered: {selective: false},
  checkpoint_left: {kept: []},
  paused: {frames_left_out: 0}
};

export type Message = Event | Command | Answer;
export type Event =
  | ProgramStarted
  | SourceAdded
  | RoundStarted
  | LoopFinished
  | FunctionEntered
  | FunctionLeft
  | OutputPrinted
  | WarningRaised
  | ErrorRaised
  | ProgramFinished
  | TensorCreated
  | TensorNamed
  | TensorKept
  | TensorMutated
  | RequiresGradChanged
  | TangentComputed
  | TensorReleased
  | OpApplied
  | NodeCreated
  | GraphRebased
  | NodeReleased
  | GradModeChanged
  | TransformEntered
  | TransformLeft
  | ModuleDescribed
  | ModuleEntered
  | ModuleLeft
  | BackwardStarted
  | NodeStarted
  | GradientSent
  | NodeFinished
  | BackwardFinished
  | GradAccumulated
  | GradientCaptured
  | GradCleared
  | OptimizerStepped
  | SavedTensorPacked
  | SavedTensorUnpacked
  | BufferFreed
  | CheckpointEntered
  | CheckpointLeft
  | RecomputationStarted
  | RecomputationFinished
  | HookRegistered
  | ModuleHookRegistered
  | HookRan
  | HookRemoved
  | Paused
  | Resumed
  | ValueChanged;
/**
 * A whole number from 0 to 2^53.
 */
export type Natural = number;
/**
 * A whole number from 1 to 2^53.
 */
export type Positive = number;
/**
 * A whole number from 0 to 2^63 - 1.
 */
export type Size = number;
/**
 * A text of up to 10,000 characters.
 */
export type Name = string;
/**
 * A whole number of 64 bits.
 */
export type Integer = number;
/**
 * A text of up to 2^20 characters.
 */
export type LongText = string;
/**
 * A whole number from 1 to 2^53, used once in a run.
 */
export type Identity = number;
export type Scalar = number | NonFinite;
export type NonFinite = '-Infinity' | 'Infinity' | 'NaN';
export type TensorElement = Scalar | Scalar[];
export type Command =
  Pause | Resume | Step | SetBreakpoints | Evaluate | ListLocals | ReadTensor | MeasureTensor | Assign | TraceGradient;
export type Answer =
  Done | Refused | BreakpointsSet | Evaluated | LocalsListed | TensorRead | TensorMeasured | GradientTraced | WatchSet;

/**
 * A run began; `versions` has those of backscope, python, numpy and the PyTorch that is the reference.
 *
 * `source` is the text of the program's main file, None where it was left out of the recording.
 */
export interface ProgramStarted {
  kind: 'program_started';
  seq: Natural;
  line: Natural | null;
  file?: Positive;
  protocol: Size;
  filename: Name;
  source: string | null;
  seed: Integer;
  versions: {
    [k: string]: Name;
  };
}
/**
 * A further file of the program: its number is `file`, and the events with a line of it follow.
 *
 * `filename` is its path from the folder of the main file; `source` its text, None where that was left out of the
 * recording or is longer than 500,000 bytes.
 */
export interface SourceAdded {
  kind: 'source_added';
  seq: Natural;
  line: Natural | null;
  file?: Positive;
  filename: Name;
  source: LongText | null;
}
/**
 * A loop of the program began its round number `round`, 1-based; recorded before the first event of the round.
 *
 * `loop` is unique for each time that a loop runs; `line` is the line of the loop, `text` its head, e.g.
 * "for x, y in data", and `outer` the loop around it that is running.
 */
export interface RoundStarted {
  kind: 'round_started';
  seq: Natural;
  line: Natural | null;
  file?: Positive;
  loop: Identity;
  outer: Identity | null;
  round: Natural;
  text: LongText;
}
/**
 * A loop with a `round_started` ended after `rounds`.
 */
export interface LoopFinished {
  kind: 'loop_finished';
  seq: Natural;
  line: Natural | null;
  file?: Positive;
  loop: Identity;
  rounds: Natural;
}
/**
 * A function of the program runs, until `function_left` of this `call`; recorded before its first event.
 *
 * `line` is the line of its `def`, and `times` counts its recorded calls.  Generators, methods that modules and custom
 * Functions call by themselves, such as forward(), and functions that run inside a backward pass are not recorded.
 */
export interface FunctionEntered {
  kind: 'function_entered';
  seq: Natural;
  line: Natural | null;
  file?: Positive;
  call: Identity;
  name: Name;
  times: Natural;
}
/**
 * A function with a `function_entered` returned or raised.
 */
export interface FunctionLeft {
  kind: 'function_left';
  seq: Natural;
  line: Natural | null;
  file?: Positive;
  call: Identity;
}
/**
 * The program wrote text; `stream` is "stdout" or "stderr".
 */
export interface OutputPrinted {
  kind: 'output_printed';
  seq: Natural;
  line: Natural | null;
  file?: Positive;
  stream: 'stderr' | 'stdout';
  text: LongText;
}
/**
 * The program or the engine warned.
 */
export interface WarningRaised {
  kind: 'warning_raised';
  seq: Natural;
  line: Natural | null;
  file?: Positive;
  category: Name;
  message: LongText;
}
/**
 * An exception was raised, or the run was stopped by a limit.
 *
 * `stage` is "syntax" (nothing ran), "engine" (raised by an op or a backward pass; the program may yet catch it),
 * "program" (left the program and ended it), or "limit" (the run was stopped from outside: time, memory, output,
 * a crash).  `node` is the node that was running, `column` the 1-based column of a syntax error.  The `traceback` of a
 * deep stack has the outermost frame and the innermost ones; `frames_left_out` counts those between.
 */
export interface ErrorRaised {
  kind: 'error_raised';
  seq: Natural;
  line: Natural | null;
  file?: Positive;
  stage: 'engine' | 'limit' | 'program' | 'syntax';
  type: Name;
  message: LongText;
  column: Integer | null;
  /**
   * @maxItems 50
   */
  traceback: TracebackLine[];
  node: Identity | null;
  diagnosis: Diagnosis | null;
  /**
   * A whole number from 0 to 2^53.
   */
  frames_left_out: number;
}
/**
 * One frame of the user's code in a traceback, outermost first; `file` is as in events.
 */
export interface TracebackLine {
  line: Natural;
  function: Name;
  text: LongText;
  file?: Positive;
}
/**
 * The answer to a question "why?": the cause, the fix, and the lines and identities that are involved.
 *
 * `wrong_fix` is common advice that does not help, and why not; `evidence` are the facts in their order.  `files` has
 * the file of each line, 0 for the main one; it is empty where all lines are of that.
 */
export interface Diagnosis {
  cause: LongText;
  fix: LongText;
  /**
   * @maxItems 65536
   */
  lines: Natural[];
  /**
   * @maxItems 65536
   */
  nodes: Identity[];
  /**
   * @maxItems 65536
   */
  tensors: Identity[];
  wrong_fix?: LongText | null;
  /**
   * @maxItems 65536
   */
  evidence?: Evidence[];
  /**
   * @maxItems 65536
   */
  files?: Natural[];
}
/**
 * One fact that supports a diagnosis: a sentence, and the line, node, tensor and number that it is about.
 *
 * `value` is the number at the end of `text`, e.g. the norm of the gradient that `node` sent.  `file` is as in events.
 */
export interface Evidence {
  text: LongText;
  line?: Natural | null;
  node?: Identity | null;
  tensor?: Identity | null;
  value?: Scalar | null;
  file?: Positive | null;
}
/**
 * The run ended: `status` is "ok", "error", "stopped" (by the user), "limit", or "cut".
 *
 * "cut" means that the record ends before the run did: the server was killed, or a trace file lost its end.
 */
export interface ProgramFinished {
  kind: 'program_finished';
  seq: Natural;
  line: Natural | null;
  file?: Positive;
  status: Name;
}
/**
 * A tensor was created without a tracked op: by a creation function (`origin`, e.g. "randn") or as a gradient.
 */
export interface TensorCreated {
  kind: 'tensor_created';
  seq: Natural;
  line: Natural | null;
  file?: Positive;
  origin: Name;
  info: TensorInfo;
}
/**
 * A tensor when it was created; `base` is the tensor that it is a view of.
 */
export interface TensorInfo {
  tensor: Identity;
  storage: Identity;
  version: Natural;
  requires_grad: boolean;
  is_leaf: boolean;
  base: Identity | null;
  value: Summary;
}
/**
 * The values of a tensor at one moment.
 *
 * `values` are in row-major order: all of them up to 256 elements, the first 16 of a larger tensor.  `min`, `max` and
 * `mean` are None for complex and empty tensors, for tensors with a NaN, and above 4,096 elements, where they are
 * computed on demand; `norm` is the 2-norm over all elements.  Units: `strides` in elements, `nbytes` in bytes.
 */
export interface Summary {
  /**
   * @maxItems 64
   */
  shape: Size[];
  dtype: Name;
  /**
   * @maxItems 64
   */
  strides: Integer[];
  nbytes: Size;
  min: Scalar | null;
  max: Scalar | null;
  mean: Scalar | null;
  norm: Scalar | null;
  nan_count: Natural;
  inf_count: Natural;
  /**
   * @maxItems 256
   */
  values: TensorElement[];
}
/**
 * A variable of the user's program was bound to a tensor.
 */
export interface TensorNamed {
  kind: 'tensor_named';
  seq: Natural;
  line: Natural | null;
  file?: Positive;
  tensor: Identity;
  name: Name;
}
/**
 * A tensor with a grad_fn was put into a list, a dict or the like, which keeps it and its graph alive.
 *
 * `holder` is the container's name in the program, e.g. "losses" or "self.history".
 */
export interface TensorKept {
  kind: 'tensor_kept';
  seq: Natural;
  line: Natural | null;
  file?: Positive;
  tensor: Identity;
  holder: Name;
}
/**
 * A tensor changed in place, and its version is now `version`; views share the version of their base, `x.data` not.
 *
 * An event each follows for other tensors on the same memory with a version of their own, such as `x` after a change
 * of `x.data`: the tensor that the memory was allocated for, and those with a name.  `through` is the tensor that the
 * program changed, None for that tensor itself.
 */
export interface TensorMutated {
  kind: 'tensor_mutated';
  seq: Natural;
  line: Natural | null;
  file?: Positive;
  tensor: Identity;
  storage: Identity;
  version: Natural;
  op: Name;
  value: Summary;
  through: Identity | null;
}
/**
 * A tensor's requires_grad changed, other than by an op.
 */
export interface RequiresGradChanged {
  kind: 'requires_grad_changed';
  seq: Natural;
  line: Natural | null;
  file?: Positive;
  tensor: Identity;
  requires_grad: boolean;
}
/**
 * A tensor of a forward-mode pass got its tangent: from `op`, or from the user where that is None.
 */
export interface TangentComputed {
  kind: 'tangent_computed';
  seq: Natural;
  line: Natural | null;
  file?: Positive;
  tensor: Identity;
  level: Natural;
  op: Name | null;
  value: Summary;
}
/**
 * The last Python reference to a tensor was dropped; nodes may still save its storage.
 */
export interface TensorReleased {
  kind: 'tensor_released';
  seq: Natural;
  line: Natural | null;
  file?: Positive;
  tensor: Identity;
}
/**
 * An op ran forward; `node` is None where nothing was tracked.
 *
 * `in_place` ops have the changed tensor as their output.  During a backward pass with create_graph, `during` is the
 * node whose formula applied this op.  `module_path` is where it ran as the user sees it, e.g.
 * "model.encoder.layers.0", during a formula the path of that node's own op, None outside of modules; `repeat` has the
 * 1-based rounds of the program's loops around it, outermost first.  `hidden` are the indices in `outputs` of those
 * that only the node's formula uses and the program never gets, such as the total weight of nll_loss; older traces
 * do not have this field.
 */
export interface OpApplied {
  kind: 'op_applied';
  seq: Natural;
  line: Natural | null;
  file?: Positive;
  op: Name;
  /**
   * @maxItems 65536
   */
  inputs: Argument[];
  /**
   * @maxItems 65536
   */
  outputs: TensorInfo[];
  node: NodeInfo | null;
  in_place: boolean;
  is_view: boolean;
  during: Identity | null;
  module_path: Name | null;
  /**
   * @maxItems 65536
   */
  repeat: Size[];
  /**
   * @maxItems 65536
   */
  hidden: Natural[];
}
/**
 * One argument of an op: a tensor by its identity, anything else as its Python text.
 */
export interface Argument {
  name: Name;
  tensor: Identity | null;
  text: LongText | null;
}
/**
 * A node of the tape; `sequence_nr` orders the backward pass, highest first.
 */
export interface NodeInfo {
  node: Identity;
  name: Name;
  sequence_nr: number;
  /**
   * @maxItems 65536
   */
  next_functions: (Edge | null)[];
  /**
   * @maxItems 65536
   */
  saved: SavedTensor[];
  attributes: {
    [k: string]: Name;
  };
}
/**
 * An entry of `next_functions`: the node that the gradient of one input goes to.
 */
export interface Edge {
  node: Identity;
  output_nr: Natural;
}
/**
 * A tensor kept for a node's backward formula, e.g. in slot `_saved_self`; `is_output` marks a result of the op.
 */
export interface SavedTensor {
  slot: Name;
  tensor: Identity | null;
  storage: Identity;
  version: Natural;
  nbytes: Size;
  is_output: boolean;
}
/**
 * A node was created without an op: an AccumulateGrad for the leaf `tensor`, which is None for any other node.
 */
export interface NodeCreated {
  kind: 'node_created';
  seq: Natural;
  line: Natural | null;
  file?: Positive;
  node: Identity;
  name: Name;
  tensor: Identity | null;
}
/**
 * A tensor's grad_fn was replaced because it, its base or a view of it was changed in place.
 */
export interface GraphRebased {
  kind: 'graph_rebased';
  seq: Natural;
  line: Natural | null;
  file?: Positive;
  tensor: Identity;
  node: NodeInfo;
}
/**
 * A node was dropped from the graph, with the tensors that it still saved.
 */
export interface NodeReleased {
  kind: 'node_released';
  seq: Natural;
  line: Natural | null;
  file?: Positive;
  node: Identity;
}
/**
 * From here on the tape records ops (`mode` "grad") or does not ("no_grad", "inference" or "function").
 *
 * "function" is the inside of a custom Function's forward(), which then is an op itself.  The event precedes the first
 * op that the change affects, outside backward passes.
 */
export interface GradModeChanged {
  kind: 'grad_mode_changed';
  seq: Natural;
  line: Natural | null;
  file?: Positive;
  mode: Name;
}
/**
 * A transform of torch.func runs a function: what happens until `transform_left` of this `depth` is inside it.
 *
 * `transform` is "grad" (reverse mode: grad, vjp, jacrev and the like), "jvp" or "vmap"; `depth` is 1 for the
 * outermost.  Gradients inside it need no requires_grad, and there is no `backward_started` for them.
 */
export interface TransformEntered {
  kind: 'transform_entered';
  seq: Natural;
  line: Natural | null;
  file?: Positive;
  transform: Name;
  depth: Natural;
}
/**
 * A transform returned or raised.
 */
export interface TransformLeft {
  kind: 'transform_left';
  seq: Natural;
  line: Natural | null;
  file?: Positive;
  depth: Natural;
}
/**
 * A module is about to be called for the first time; `text` is what its repr shows between brackets.
 *
 * `path` begins with the program's variable, e.g. "model.encoder.layers.0"; it is the name of the class where no
 * variable leads to the module.  `parameters` are its own, without those of modules inside it.
 */
export interface ModuleDescribed {
  kind: 'module_described';
  seq: Natural;
  line: Natural | null;
  file?: Positive;
  module: Identity;
  type: Name;
  path: Name;
  text: LongText;
  /**
   * @maxItems 65536
   */
  parameters: NamedTensor[];
}
/**
 * A tensor and its name inside a module.
 */
export interface NamedTensor {
  name: Name;
  tensor: Identity;
}
/**
 * A module was called; the events until `module_left` of this `call` happened inside it.
 *
 * `caller` is the call of the module whose forward() calls it, and `times` counts the calls within that one, or within
 * the program.  A module that is shared has the `path` by which this caller reaches it.
 */
export interface ModuleEntered {
  kind: 'module_entered';
  seq: Natural;
  line: Natural | null;
  file?: Positive;
  call: Identity;
  module: Identity;
  path: Name;
  caller: Identity | null;
  times: Natural;
}
/**
 * A call of a module returned or raised.
 */
export interface ModuleLeft {
  kind: 'module_left';
  seq: Natural;
  line: Natural | null;
  file?: Positive;
  call: Identity;
}
/**
 * backward() or autograd.grad() began: call number `call`, started from node `root_nodes[i]` with `gradients[i]`.
 *
 * `api` is "backward" or "grad"; `parent` is the call with the hook or formula that started this one.
 */
export interface BackwardStarted {
  kind: 'backward_started';
  seq: Natural;
  line: Natural | null;
  file?: Positive;
  call: Identity;
  api: Name;
  parent: Identity | null;
  /**
   * @maxItems 65536
   */
  roots: Identity[];
  /**
   * @maxItems 65536
   */
  root_nodes: Identity[];
  /**
   * @maxItems 65536
   */
  gradients: Summary[];
  implicit_gradient: boolean;
  retain_graph: boolean;
  create_graph: boolean;
  inputs: Identity[] | null;
}
/**
 * A node is about to run, with one incoming gradient for each output of its op; None for an undefined one.
 */
export interface NodeStarted {
  kind: 'node_started';
  seq: Natural;
  line: Natural | null;
  file?: Positive;
  call: Identity;
  node: Identity;
  /**
   * @maxItems 65536
   */
  gradients: (Summary | null)[];
}
/**
 * A node sent the gradient of its input number `input_nr` along its edge.
 *
 * `reduced_from` is the shape before a sum undid a broadcast.  `total` is the sum at the receiving node with this
 * gradient added, None where it is the first.  A later one of the same node and input in a pass takes the place of
 * the first: the user of a debugger changed it.
 */
export interface GradientSent {
  kind: 'gradient_sent';
  seq: Natural;
  line: Natural | null;
  file?: Positive;
  call: Identity;
  node: Identity;
  input_nr: Natural;
  to_node: Identity;
  output_nr: Natural;
  value: Summary;
  reduced_from: Size[] | null;
  total: Summary | null;
}
/**
 * A node has run and sent its gradients.
 */
export interface NodeFinished {
  kind: 'node_finished';
  seq: Natural;
  line: Natural | null;
  file?: Positive;
  call: Identity;
  node: Identity;
}
/**
 * backward() or autograd.grad() returned, or `failed` with the error that follows.
 */
export interface BackwardFinished {
  kind: 'backward_finished';
  seq: Natural;
  line: Natural | null;
  file?: Positive;
  call: Identity;
  failed: boolean;
}
/**
 * A leaf's `.grad` received a gradient.
 *
 * `in_place` is True where the existing `.grad` tensor was changed, False where it was replaced; `grad` is the tensor
 * that `.grad` is now.
 */
export interface GradAccumulated {
  kind: 'grad_accumulated';
  seq: Natural;
  line: Natural | null;
  file?: Positive;
  call: Identity;
  node: Identity;
  tensor: Identity;
  grad: Identity;
  before: Summary | null;
  added: Summary;
  after: Summary;
  in_place: boolean;
}
/**
 * A gradient was kept during a pass: in `.grad` by retain_grad ("grad") or as autograd.grad's result ("result").
 */
export interface GradientCaptured {
  kind: 'gradient_captured';
  seq: Natural;
  line: Natural | null;
  file?: Positive;
  call: Identity;
  node: Identity;
  tensor: Identity | null;
  into: Name;
  value: Summary;
}
/**
 * `.grad` was set to None ("none") or replaced ("assigned"), `by` the "user" or the "optimizer".
 *
 * Zeroing it in place gives a `tensor_mutated` of the gradient instead.
 */
export interface GradCleared {
  kind: 'grad_cleared';
  seq: Natural;
  line: Natural | null;
  file?: Positive;
  tensor: Identity;
  how: Name;
  by: Name;
  value: Summary | null;
}
/**
 * An optimizer finished its step number `number`, with an update for each parameter that it changed.
 *
 * `unchanged` are the parameters without a gradient.  A `tensor_mutated` of each change follows, except where it was
 * recorded during the step, as for an optimizer that the program itself defines.
 */
export interface OptimizerStepped {
  kind: 'optimizer_stepped';
  seq: Natural;
  line: Natural | null;
  file?: Positive;
  optimizer: Name;
  number: Natural;
  /**
   * @maxItems 65536
   */
  groups: ParameterGroup[];
  /**
   * @maxItems 65536
   */
  updates: ParameterUpdate[];
  /**
   * @maxItems 65536
   */
  unchanged: Identity[];
}
/**
 * The settings that a group of an optimizer's parameters had in this step.
 *
 * `options` are those that are neither None nor False, as Python text.
 */
export interface ParameterGroup {
  lr: Scalar | null;
  options: {
    [k: string]: Name;
  };
}
/**
 * The update of one parameter by one optimizer step.
 *
 * `name` is its path or variable, `group` counts the optimizer's groups from 0, and `change` is `after` minus
 * `before`, None for a tensor that is too large to compare at every step.  `grad` is its `.grad` after the step, and
 * `state` the optimizer's state for it, e.g. "momentum_buffer" or "exp_avg": tensors, anything else as Python text.
 */
export interface ParameterUpdate {
  tensor: Identity;
  name: Name | null;
  group: Natural;
  before: Summary;
  grad: Summary | null;
  after: Summary;
  change: Summary | null;
  state: {
    [k: string]: Name | Summary;
  };
}
/**
 * A pack hook replaced the tensor that a node saves in `slot` by `packed`, given as its Python text or its type.
 */
export interface SavedTensorPacked {
  kind: 'saved_tensor_packed';
  seq: Natural;
  line: Natural | null;
  file?: Positive;
  node: Identity;
  slot: Name;
  hook: Name;
  value: Summary;
  packed: Name;
}
/**
 * An unpack hook returned the tensor that a node needs.
 */
export interface SavedTensorUnpacked {
  kind: 'saved_tensor_unpacked';
  seq: Natural;
  line: Natural | null;
  file?: Positive;
  call: Identity | null;
  node: Identity;
  slot: Name;
  hook: Name;
  value: Summary;
}
/**
 * A node freed a saved tensor; the memory is free once nothing else refers to `storage`.
 */
export interface BufferFreed {
  kind: 'buffer_freed';
  seq: Natural;
  line: Natural | null;
  file?: Positive;
  node: Identity;
  slot: Name;
  storage: Identity;
  nbytes: Size;
}
/**
 * A function began to run under checkpoint number `checkpoint`, without saving tensors for its backward.
 *
 * A `selective` one has a policy that decides which results are kept; older traces do not have this field.
 */
export interface CheckpointEntered {
  kind: 'checkpoint_entered';
  seq: Natural;
  line: Natural | null;
  file?: Positive;
  checkpoint: Identity;
  function: Name;
  reentrant: boolean;
  selective: boolean;
}
/**
 * The forward pass of a checkpointed function ended; `kept` are the results that its policy kept.
 */
export interface CheckpointLeft {
  kind: 'checkpoint_left';
  seq: Natural;
  line: Natural | null;
  file?: Positive;
  checkpoint: Identity;
  /**
   * @maxItems 65536
   */
  kept: Identity[];
}
/**
 * The function of a checkpoint runs again, because `node` needs a tensor that was not saved.
 */
export interface RecomputationStarted {
  kind: 'recomputation_started';
  seq: Natural;
  line: Natural | null;
  file?: Positive;
  call: Identity | null;
  checkpoint: Identity;
  node: Identity | null;
}
/**
 * The recomputation of a checkpoint ended.
 */
export interface RecomputationFinished {
  kind: 'recomputation_finished';
  seq: Natural;
  line: Natural | null;
  file?: Positive;
  checkpoint: Identity;
}
/**
 * The program registered a hook on a tensor, or on a node where `tensor` is None; `where` is as in hook_ran.
 *
 * `node` is the tensor's grad_fn at that time, None for a leaf.
 */
export interface HookRegistered {
  kind: 'hook_registered';
  seq: Natural;
  line: Natural | null;
  file?: Positive;
  where: Name;
  hook: Name;
  tensor: Identity | null;
  node: Identity | null;
}
/**
 * The program registered a hook on the module at the path `module`; it runs when the module is called.
 *
 * `where` is as in hook_ran; `parameters` are the module's own.
 */
export interface ModuleHookRegistered {
  kind: 'module_hook_registered';
  seq: Natural;
  line: Natural | null;
  file?: Positive;
  where: Name;
  hook: Name;
  module: Name;
  /**
   * @maxItems 65536
   */
  parameters: Identity[];
}
/**
 * A hook of the program ran on a gradient (in a module's forward pass: on a value) and returned `after`, or None.
 *
 * `where` is "tensor", "node pre", "node post", "post accumulate", "multi grad", "callback", "module forward pre",
 * "module forward", "module backward pre", "module backward", "optimizer step pre" or "optimizer step post".
 * `module` is the path of the module that has the hook, or the class of the optimizer.
 */
export interface HookRan {
  kind: 'hook_ran';
  seq: Natural;
  line: Natural | null;
  file?: Positive;
  call: Identity | null;
  where: Name;
  hook: Name;
  module: Name | null;
  tensor: Identity | null;
  node: Identity | null;
  before: Summary | null;
  after: Summary | null;
}
/**
 * The program removed a hook: the one that was registered first, where several match.
 */
export interface HookRemoved {
  kind: 'hook_removed';
  seq: Natural;
  line: Natural | null;
  file?: Positive;
  where: Name;
  hook: Name;
  tensor: Identity | null;
  node: Identity | null;
}
/**
 * The debugger stopped the program; everything before is in the log, and nothing follows until the program goes on.
 *
 * `reason` is "pause", "step" or "breakpoint", and `breakpoints` has those that stopped it.  `where` is "line" before
 * a line runs, "moment" after the last event, "before node" or "after node" in the backward pass `call` at `node`, or
 * "end" where the program ended and its variables still exist.  `stack` has the frames of the user's code, outermost
 * first; where it is deep only the innermost, and `frames_left_out` counts the others.  `note` is a remark for the
 * user.
 */
export interface Paused {
  kind: 'paused';
  seq: Natural;
  line: Natural | null;
  file?: Positive;
  reason: Name;
  /**
   * @maxItems 65536
   */
  breakpoints: Natural[];
  where: Name;
  call: Identity | null;
  node: Identity | null;
  /**
   * @maxItems 50
   */
  stack: TracebackLine[];
  note: Name | null;
  /**
   * A whole number from 0 to 2^53.
   */
  frames_left_out: number;
}
/**
 * The program goes on; `to` is "resume" or the goal of the step.
 */
export interface Resumed {
  kind: 'resumed';
  seq: Natural;
  line: Natural | null;
  file?: Positive;
  to: Name;
}
/**
 * The user of the debugger ran the assignment `target = expression` in a function of the paused program.
 *
 * Its effects on tensors follow as events, as for any other statement.
 */
export interface ValueChanged {
  kind: 'value_changed';
  seq: Natural;
  line: Natural | null;
  file?: Positive;
  function: Name;
  target: Name;
  expression: Name;
}
/**
 * Stop a running program at its next line, node or event.
 */
export interface Pause {
  command: 'pause';
  id: Natural;
}
/**
 * Go on to the next breakpoint or the end.
 */
export interface Resume {
  command: 'resume';
  id: Natural;
}
/**
 * Go on, and stop again at the place that `to` names.
 *
 * After the next "moment" that is recorded, at the next "line" of this function or its caller, at the next line
 * anywhere ("into"), at the next line outside this function ("out"), before the next "node" of a backward pass or
 * where the pass fails, where the next "backward" pass starts, once the event `seq` is recorded ("seq"), or never
 * ("end").  With `at_end`, a program that ends before the event `seq` stops at its end, where its variables can be
 * read.
 */
export interface Step {
  command: 'step';
  id: Natural;
  to: 'backward' | 'end' | 'into' | 'line' | 'moment' | 'node' | 'out' | 'seq';
  seq?: Natural | null;
  at_end?: boolean;
}
/**
 * Replace all breakpoints by these; one with an unchanged definition keeps its count of hits.
 *
 * A breakpoint that cannot be set is left out; the answer says which and why.  Those that were set in the terminal of
 * a debugged program stay, except the numbers in `removed`.
 */
export interface SetBreakpoints {
  command: 'set_breakpoints';
  id: Natural;
  /**
   * @maxItems 1000
   */
  breakpoints: (
    | LineBreakpoint
    | OpBreakpoint
    | NodeBreakpoint
    | TensorBreakpoint
    | NonFiniteBreakpoint
    | GradientNormBreakpoint
    | FreedBreakpoint
    | HookBreakpoint
    | ExceptionBreakpoint
  )[];
  /**
   * @maxItems 1000
   */
  removed?: Natural[];
}
/**
 * Stops before a line runs; for a line without a statement, before the next line that has one.
 *
 * It is a line of the main file or of another `file` of the program, by its name as in source_added; one that the
 * program has not imported so far stops once it has.
 */
export interface LineBreakpoint {
  on: 'line';
  id: Natural;
  condition?: string | null;
  /**
   * A whole number from 1 to 2^53.
   */
  hits?: number;
  line: Positive;
  file?: string | null;
}
/**
 * Stops after an op of this `name` ran, e.g. "exp", or before a node of this name runs, e.g. "ExpBackward0".
 *
 * It is also the path of a module, e.g. "model.fc1", and then stops where that is called.
 */
export interface OpBreakpoint {
  on: 'op';
  id: Natural;
  condition?: string | null;
  /**
   * A whole number from 1 to 2^53.
   */
  hits?: number;
  name: string;
}
/**
 * Stops before or after one `node` runs in a backward pass, and where it raises an error.
 */
export interface NodeBreakpoint {
  on: 'node';
  id: Natural;
  condition?: string | null;
  /**
   * A whole number from 1 to 2^53.
   */
  hits?: number;
  node: Natural;
  when?: 'after' | 'before';
}
/**
 * Stops when something happens to a `tensor`, which is an identity or the name of a variable.
 *
 * "created": the tensor is created, or the variable is bound to another one; "changed": its memory is changed in
 * place; "gradient": its gradient, counted from its last change in place, is complete; "accumulated": its `.grad` was
 * updated; "released": its last reference was dropped, where the program stops at the next line.
 */
export interface TensorBreakpoint {
  on: 'tensor';
  id: Natural;
  condition?: string | null;
  /**
   * A whole number from 1 to 2^53.
   */
  hits?: number;
  tensor: Natural | string;
  when: 'accumulated' | 'changed' | 'created' | 'gradient' | 'released';
}
/**
 * Stops where finite numbers give a NaN or an infinity: in an op, in a node's gradients, or in place in memory.
 */
export interface NonFiniteBreakpoint {
  on: 'non_finite';
  id: Natural;
  condition?: string | null;
  /**
   * A whole number from 1 to 2^53.
   */
  hits?: number;
}
/**
 * Stops after a node or a leaf got a gradient whose 2-norm is over `above` or under `below`.
 */
export interface GradientNormBreakpoint {
  on: 'gradient_norm';
  id: Natural;
  condition?: string | null;
  /**
   * A whole number from 1 to 2^53.
   */
  hits?: number;
  above?: number | null;
  below?: number | null;
}
/**
 * Stops after a node freed its saved tensors; with a `name`, only for nodes of that name.
 */
export interface FreedBreakpoint {
  on: 'freed';
  id: Natural;
  condition?: string | null;
  /**
   * A whole number from 1 to 2^53.
   */
  hits?: number;
  name?: string | null;
}
/**
 * Stops after a hook ran; with a `name`, only for hooks of that name.
 */
export interface HookBreakpoint {
  on: 'hook';
  id: Natural;
  condition?: string | null;
  /**
   * A whole number from 1 to 2^53.
   */
  hits?: number;
  name?: string | null;
}
/**
 * Stops where an exception leaves a function or is caught, while its frame exists; with a `type`, only for that.
 */
export interface ExceptionBreakpoint {
  on: 'exception';
  id: Natural;
  condition?: string | null;
  /**
   * A whole number from 1 to 2^53.
   */
  hits?: number;
  type?: string | null;
}
/**
 * Evaluate an expression in a frame of the paused program, 0 for the innermost; nothing of it is recorded.
 */
export interface Evaluate {
  command: 'evaluate';
  id: Natural;
  expression: string;
  /**
   * A whole number from 0 to 2^53.
   */
  frame?: number;
}
/**
 * List the variables of a frame of the paused program, 0 for the innermost.
 */
export interface ListLocals {
  command: 'list_locals';
  id: Natural;
  /**
   * A whole number from 0 to 2^53.
   */
  frame?: number;
}
/**
 * Read a tensor or its `.grad`: of each dim the elements from `begin` up to `end`, all of a dim without these.
 */
export interface ReadTensor {
  command: 'read_tensor';
  id: Natural;
  tensor: Natural;
  of?: 'data' | 'grad';
  /**
   * @maxItems 64
   */
  begin?: Natural[];
  /**
   * @maxItems 64
   */
  end?: Natural[];
}
/**
 * Compute statistics and a histogram of a tensor or its `.grad`, and read its layout in memory.
 */
export interface MeasureTensor {
  command: 'measure_tensor';
  id: Natural;
  tensor: Natural;
  of?: 'data' | 'grad';
}
/**
 * Run the assignment `target = expression` in a frame; it is recorded as value_changed.
 */
export interface Assign {
  command: 'assign';
  id: Natural;
  target: string;
  expression: string;
  /**
   * A whole number from 0 to 2^53.
   */
  frame?: number;
}
/**
 * Trace where an `element` of the gradient at output `output_nr` of a `node` comes from.
 *
 * The program has to be paused right after the backward_started of the pass in question.  For a leaf the node is its
 * AccumulateGrad.  The trace follows, up to `depth` steps, the element that contributes most to the one before, and
 * gives the `most` largest shares of each.  It runs the pass once, with its hooks, and keeps no result of that run.
 */
export interface TraceGradient {
  command: 'trace_gradient';
  id: Natural;
  node: Natural;
  /**
   * A whole number from 0 to 2^53.
   */
  output_nr?: number;
  /**
   * @maxItems 64
   */
  element?: Natural[];
  depth?: number;
  most?: number;
}
/**
 * The command was carried out, or, for one to go on or to pause, accepted.
 */
export interface Done {
  answer: 'done';
  id: Natural;
}
/**
 * The command was not carried out; `reason` says why, for the user.
 */
export interface Refused {
  answer: 'refused';
  id: Natural;
  reason: Name;
}
/**
 * The breakpoints were set, except those that are `unusable`.
 *
 * `places` has those that are on a line, `pending` those on names that are unknown so far.
 */
export interface BreakpointsSet {
  answer: 'breakpoints_set';
  id: Natural;
  /**
   * @maxItems 65536
   */
  places: BreakpointPlace[];
  /**
   * @maxItems 65536
   */
  unusable?: UnusableBreakpoint[];
  /**
   * @maxItems 65536
   */
  pending?: PendingBreakpoint[];
}
/**
 * The `line` at which a breakpoint was set, None for a breakpoint that is not on a line.
 *
 * `file` is the name of the file that the line is in, None for the main one.
 */
export interface BreakpointPlace {
  id: Natural;
  line: Natural | null;
  file?: Name | null;
}
/**
 * A breakpoint that cannot be set, and the reason.
 */
export interface UnusableBreakpoint {
  id: Natural;
  reason: Name;
}
/**
 * A breakpoint on a name that nothing has so far, or in a file that has not been imported so far.
 *
 * `note` says so, and which name may be meant.
 */
export interface PendingBreakpoint {
  id: Natural;
  note: Name;
}
/**
 * The value of the expression; `output` is what it printed.
 */
export interface Evaluated {
  answer: 'evaluated';
  id: Natural;
  look: Look;
  output: Name;
}
/**
 * A value: its type, its Python text, cut where it is long; for a tensor its identity and its Summary too.
 *
 * `tensor` is None for a tensor that no event has recorded.
 */
export interface Look {
  type: Name;
  text: LongText;
  tensor: Identity | null;
  value: Summary | null;
}
/**
 * The variables of a frame, by name; `omitted` is how many more there are.
 */
export interface LocalsListed {
  answer: 'locals_listed';
  id: Natural;
  function: Name;
  line: Natural;
  /**
   * @maxItems 65536
   */
  variables: Variable[];
  omitted: Natural;
}
/**
 * A variable of a frame.
 */
export interface Variable {
  name: Name;
  look: Look;
}
/**
 * The requested elements in row-major order, and their shape; `whole` is the shape of the tensor.
 */
export interface TensorRead {
  answer: 'tensor_read';
  id: Natural;
  /**
   * @maxItems 64
   */
  whole: Size[];
  /**
   * @maxItems 64
   */
  shape: Size[];
  dtype: Name;
  /**
   * @maxItems 4194304
   */
  values: TensorElement[];
}
/**
 * Statistics and a histogram of all elements of a tensor.
 *
 * `min`, `max`, `mean`, `std` and `norm` are those of the `count` finite elements, by magnitude for complex ones.
 * `counts` are the counts of bins of equal width between the two `ends`; both are empty where there are no bins.
 * Units: `strides` and `storage_offset` in elements.
 */
export interface TensorMeasured {
  answer: 'tensor_measured';
  id: Natural;
  /**
   * @maxItems 64
   */
  shape: Size[];
  dtype: Name;
  /**
   * @maxItems 64
   */
  strides: Integer[];
  storage_offset: Integer;
  contiguous: boolean;
  count: Natural;
  nan_count: Natural;
  inf_count: Natural;
  zeros: Natural;
  min: Scalar | null;
  max: Scalar | null;
  mean: Scalar | null;
  std: Scalar | null;
  norm: Scalar | null;
  /**
   * @maxItems 65536
   */
  ends: Scalar[];
  /**
   * @maxItems 65536
   */
  counts: Natural[];
}
/**
 * An element of a gradient in the pass `call`, then the elements that contribute most, each to the one before.
 *
 * `more` is True where the `path` could go on.
 */
export interface GradientTraced {
  answer: 'gradient_traced';
  id: Natural;
  call: Identity;
  /**
   * @maxItems 65536
   */
  path: TracedElement[];
  more: boolean;
}
/**
 * An element of the gradient at output `output_nr` of a `node`: the sum of `arrivals`.
 *
 * `shape` is the shape of the gradient, `arrived` the sum, and `value` the element after the `hooks` of these names
 * ran: the one that the node runs on or the leaf accumulates.
 */
export interface TracedElement {
  node: Identity;
  output_nr: Natural;
  /**
   * @maxItems 64
   */
  shape: Size[];
  /**
   * @maxItems 65536
   */
  element: Integer[];
  arrived: TensorElement;
  value: TensorElement;
  /**
   * @maxItems 65536
   */
  hooks: Name[];
  /**
   * @maxItems 65536
   */
  arrivals: Arrival[];
}
/**
 * A summand of an element of a gradient: sent by `node` for its input `input_nr`, or given to backward().
 *
 * `node` is None for the latter.  `shares` has the largest shares, non-finite ones first; `more` counts the others,
 * and `rest` is their sum.  `made` is the result of the node's formula; where `sent` differs, hooks replaced it.
 * `adds_up` is True where the sum of the shares is `made`, up to rounding; `why` says why it is not, or why there are
 * no shares.
 */
export interface Arrival {
  node: Identity | null;
  input_nr: Natural;
  sent: TensorElement;
  made: TensorElement | null;
  /**
   * @maxItems 65536
   */
  shares: Share[];
  more: Natural;
  rest: TensorElement | null;
  adds_up: boolean;
  why: Name | null;
}
/**
 * The contribution of one element of a node's incoming gradient to one element of a gradient that it sends.
 *
 * `element` is its index in the gradient of the op's output `output_nr`, `incoming` its value, and `amount` the
 * contribution: `factor * incoming`, or, where `factor` is None, the result of running the node on that element alone.
 */
export interface Share {
  output_nr: Natural;
  /**
   * @maxItems 65536
   */
  element: Integer[];
  incoming: TensorElement;
  factor: TensorElement | null;
  amount: TensorElement;
}
/**
 * The expressions of the Watch with this `id` are watched, except those that are `unusable`.
 */
export interface WatchSet {
  answer: 'watch_set';
  id: Natural;
  /**
   * @maxItems 65536
   */
  unusable: UnusableWatch[];
}
/**
 * Expression number `watch` cannot be evaluated at all; `reason` says why, for the user.
 */
export interface UnusableWatch {
  watch: Natural;
  reason: Name;
}
