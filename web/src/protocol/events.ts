// The protocol, one interface for each kind of event, command and answer, and for each struct in them.
//
// Generated from engine/backscope/protocol/events/ and commands.py; do not edit. After a change there, in the folder web:
//     python -m backscope.protocol.schema > src/protocol/schema.json && node scripts/generate-protocol.mjs

export const PROTOCOL_VERSION = 1;

/** What fields hold that a trace from before they were told lacks, by kind of event. */
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
 * A whole number from 1 to 2^53, used once in a run.
 */
export type Identity = number;
/**
 * A text of up to 2^20 characters.
 */
export type LongText = string;
export type Scalar = number | NonFinite;
export type NonFinite = '-Infinity' | 'Infinity' | 'NaN';
export type TensorElement = Scalar | Scalar[];
export type Command =
  Pause | Resume | Step | SetBreakpoints | Evaluate | ListLocals | ReadTensor | MeasureTensor | Assign | TraceGradient;
/**
 * A whole number from 1 to 2^53.
 */
export type Positive = number;
export type Answer =
  Done | Refused | BreakpointsSet | Evaluated | LocalsListed | TensorRead | TensorMeasured | GradientTraced | WatchSet;

/**
 * A run began; `versions` names backscope, python, numpy and the PyTorch that is followed.
 */
export interface ProgramStarted {
  kind: 'program_started';
  seq: Natural;
  line: Natural | null;
  protocol: Size;
  filename: Name;
  /**
   * A program, which is measured before it is run.
   */
  source: string;
  seed: Integer;
  versions: {
    [k: string]: Name;
  };
}
/**
 * A loop of the program is in its round number `round`, 1-based; told with the first thing that happens in it.
 *
 * `loop` numbers the times that loops are run; `line` is that of the loop, `text` its head, e.g. "for x, y in data",
 * and `outer` the loop around it that is under way.
 */
export interface RoundStarted {
  kind: 'round_started';
  seq: Natural;
  line: Natural | null;
  loop: Identity;
  outer: Identity | null;
  round: Natural;
  text: LongText;
}
/**
 * A loop that was told of is over after `rounds`.
 */
export interface LoopFinished {
  kind: 'loop_finished';
  seq: Natural;
  line: Natural | null;
  loop: Identity;
  rounds: Natural;
}
/**
 * A function of the program runs, until `function_left` of this `call`; told with the first thing that it does.
 *
 * `line` is that of its `def`, and `times` counts its calls that were told of.  Not told of are generators, methods
 * that modules and custom Functions call by themselves, such as forward(), and what runs inside of a backward pass.
 */
export interface FunctionEntered {
  kind: 'function_entered';
  seq: Natural;
  line: Natural | null;
  call: Identity;
  name: Name;
  times: Natural;
}
/**
 * A function that was told of returned or raised.
 */
export interface FunctionLeft {
  kind: 'function_left';
  seq: Natural;
  line: Natural | null;
  call: Identity;
}
/**
 * The program wrote text; `stream` is "stdout" or "stderr".
 */
export interface OutputPrinted {
  kind: 'output_printed';
  seq: Natural;
  line: Natural | null;
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
  category: Name;
  message: LongText;
}
/**
 * An exception.
 *
 * `stage` is "syntax" (nothing ran), "engine" (raised by an op or a backward pass; the program may yet catch it),
 * "program" (left the program and ended it), or "limit" (the run was stopped from outside: time, memory, output,
 * a crash).  `node` is the node that was running, `column` the 1-based column of a syntax error.  Of a deep stack
 * `traceback` has the frame that began it and the innermost ones; `frames_left_out` counts those between.
 */
export interface ErrorRaised {
  kind: 'error_raised';
  seq: Natural;
  line: Natural | null;
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
 * One frame of the user's code in a traceback, outermost first.
 */
export interface TracebackLine {
  line: Natural;
  function: Name;
  text: LongText;
}
/**
 * Why something is as it is, computed from the tape: the cause, the lines and identities involved, what to do.
 *
 * `wrong_fix` is what is often advised instead and what is wrong with it; `evidence` are the facts in their order.
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
}
/**
 * One fact that a diagnosis rests on: what it says, where it is, and its number where it is about one.
 *
 * `value` is what `text` ends with as a number, e.g. the norm of the gradient that `node` sent.
 */
export interface Evidence {
  text: LongText;
  line?: Natural | null;
  node?: Identity | null;
  tensor?: Identity | null;
  value?: Scalar | null;
}
/**
 * The run is over: `status` is "ok", "error", "stopped" (by the user), "limit", or "cut" where the record of the
 * run ends before the run did: the server was killed meanwhile, or a trace file lost its end.
 */
export interface ProgramFinished {
  kind: 'program_finished';
  seq: Natural;
  line: Natural | null;
  status: Name;
}
/**
 * A tensor came to be without a tracked op: by a creation function (`origin`, e.g. "randn") or as a gradient.
 */
export interface TensorCreated {
  kind: 'tensor_created';
  seq: Natural;
  line: Natural | null;
  origin: Name;
  info: TensorInfo;
}
/**
 * A tensor as it was when the program got it; `base` is the tensor that it is a view of.
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
 * What a tensor held at one moment.
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
  tensor: Identity;
  name: Name;
}
/**
 * A tensor with a history was put into a list, a dict or the like, which keeps it and its graph alive.
 *
 * `holder` is what the program calls the container, e.g. "losses" or "self.history".
 */
export interface TensorKept {
  kind: 'tensor_kept';
  seq: Natural;
  line: Natural | null;
  tensor: Identity;
  holder: Name;
}
/**
 * A tensor changed in place, and its version is now `version`: the views of a tensor count with it, `x.data` apart.
 *
 * Then come those that see the change through the same memory, as `x` does one of `x.data`: the tensor that the
 * memory was made for, and those with a name of their own.  `through` is the one that was changed, None for itself.
 */
export interface TensorMutated {
  kind: 'tensor_mutated';
  seq: Natural;
  line: Natural | null;
  tensor: Identity;
  storage: Identity;
  version: Natural;
  op: Name;
  value: Summary;
  through: Identity | null;
}
/**
 * A tensor began or ceased to require grad other than by an op.
 */
export interface RequiresGradChanged {
  kind: 'requires_grad_changed';
  seq: Natural;
  line: Natural | null;
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
  tensor: Identity;
  level: Natural;
  op: Name | null;
  value: Summary;
}
/**
 * The last Python reference to a tensor went; saved copies of its storage may live on.
 */
export interface TensorReleased {
  kind: 'tensor_released';
  seq: Natural;
  line: Natural | null;
  tensor: Identity;
}
/**
 * An op ran forward; `node` is None where nothing was tracked.
 *
 * `in_place` ops have the changed tensor as their output.  During a backward pass with create_graph, `during` is the
 * node whose formula applied this op.  `module_path` is where it ran as the user sees it, e.g.
 * "model.encoder.layers.0", during a formula the path of that node's own op, None outside of modules; `repeat` has the
 * 1-based rounds of the program's loops around it, outermost first.  `hidden` are the places in `outputs` of those
 * that only the node's formula uses and the program never holds, as the total weight of nll_loss; traces of before
 * they were told have none.
 */
export interface OpApplied {
  kind: 'op_applied';
  seq: Natural;
  line: Natural | null;
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
 * An entry of `next_functions`: where the gradient of one input goes.
 */
export interface Edge {
  node: Identity;
  output_nr: Natural;
}
/**
 * A tensor kept for a node's backward formula, e.g. slot `_saved_self`; `is_output` for the op's own result.
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
 * The tape got a node that no op made: an AccumulateGrad for the leaf `tensor`; None for any other.
 */
export interface NodeCreated {
  kind: 'node_created';
  seq: Natural;
  line: Natural | null;
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
  tensor: Identity;
  node: NodeInfo;
}
/**
 * A node of the tape was dropped, with whatever it still saved.
 */
export interface NodeReleased {
  kind: 'node_released';
  seq: Natural;
  line: Natural | null;
  node: Identity;
}
/**
 * Ops are recorded from here on ("grad"), or are not: `mode` is "no_grad", "inference" or "function".
 *
 * "function" is the inside of a custom Function's forward(), which then is an op itself.  Told with the first op that
 * this matters for, outside backward passes.
 */
export interface GradModeChanged {
  kind: 'grad_mode_changed';
  seq: Natural;
  line: Natural | null;
  mode: Name;
}
/**
 * A transform of torch.func runs a function: what happens until `transform_left` of this `depth` is inside it.
 *
 * `transform` is "grad" (reverse mode: grad, vjp, jacrev and the like), "jvp" or "vmap"; `depth` is 1 for the
 * outermost.  Gradients inside of it are its own: they need no requires_grad, and no backward() is told of.
 */
export interface TransformEntered {
  kind: 'transform_entered';
  seq: Natural;
  line: Natural | null;
  transform: Name;
  depth: Natural;
}
/**
 * A transform is done.
 */
export interface TransformLeft {
  kind: 'transform_left';
  seq: Natural;
  line: Natural | null;
  depth: Natural;
}
/**
 * A module is about to be called for the first time; `text` is what its repr shows between brackets.
 *
 * `path` begins with the program's variable, e.g. "model.encoder.layers.0"; a module that no variable leads to is
 * called by its class.  `parameters` are its own, without those of modules inside it.
 */
export interface ModuleDescribed {
  kind: 'module_described';
  seq: Natural;
  line: Natural | null;
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
 * A tensor by the name that it has inside of something.
 */
export interface NamedTensor {
  name: Name;
  tensor: Identity;
}
/**
 * A module is called; what happens until `module_left` of this `call` happens in it.
 *
 * `caller` is the call of the module whose forward() calls it, and `times` counts the calls within that one, or within
 * the program.  A module that is shared has the `path` by which this caller reaches it.
 */
export interface ModuleEntered {
  kind: 'module_entered';
  seq: Natural;
  line: Natural | null;
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
  call: Identity;
}
/**
 * backward() or autograd.grad() began: call number `call`, started from node `root_nodes[i]` with `gradients[i]`.
 *
 * `api` is "backward" or "grad"; `parent` is the call whose hook or formula started this one.
 */
export interface BackwardStarted {
  kind: 'backward_started';
  seq: Natural;
  line: Natural | null;
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
 * A node is about to run with one incoming gradient for each output of its op; None where none arrived.
 */
export interface NodeStarted {
  kind: 'node_started';
  seq: Natural;
  line: Natural | null;
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
 * `reduced_from` is the shape before a broadcast was folded back by a sum.  `total` is what waits at the receiver
 * after adding this contribution, None when it is the first.
 */
export interface GradientSent {
  kind: 'gradient_sent';
  seq: Natural;
  line: Natural | null;
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
  call: Identity;
  node: Identity;
}
/**
 * backward() or autograd.grad() returned, or ended with the error that follows.
 */
export interface BackwardFinished {
  kind: 'backward_finished';
  seq: Natural;
  line: Natural | null;
  call: Identity;
  failed: boolean;
}
/**
 * A leaf's `.grad` received a gradient.
 *
 * `in_place` when the existing `.grad` object was changed, False when it was replaced; `grad` is the tensor that
 * `.grad` is now.
 */
export interface GradAccumulated {
  kind: 'grad_accumulated';
  seq: Natural;
  line: Natural | null;
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
 * A gradient was kept on its way: in `.grad` by retain_grad ("grad") or as autograd.grad's result ("result").
 */
export interface GradientCaptured {
  kind: 'gradient_captured';
  seq: Natural;
  line: Natural | null;
  call: Identity;
  node: Identity;
  tensor: Identity | null;
  into: Name;
  value: Summary;
}
/**
 * `.grad` was set to None ("none") or replaced ("assigned"), `by` the "user" or the "optimizer".
 *
 * Zeroing it in place is a tensor_mutated of the gradient.
 */
export interface GradCleared {
  kind: 'grad_cleared';
  seq: Natural;
  line: Natural | null;
  tensor: Identity;
  how: Name;
  by: Name;
  value: Summary | null;
}
/**
 * An optimizer's step number `number` is over: what it did to each parameter.
 *
 * `unchanged` are the parameters that it left alone, having no gradient.  A tensor_mutated of each change follows,
 * but for those that were told while they happened, as of an optimizer that the program itself defines.
 */
export interface OptimizerStepped {
  kind: 'optimizer_stepped';
  seq: Natural;
  line: Natural | null;
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
 * What some of an optimizer's parameters share, as it was in this step.
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
 * What one optimizer step did to one parameter.
 *
 * `name` is its path or variable, `group` counts the optimizer's groups from 0, `change` is `after` minus `before`:
 * None for what is too large to be compared at every step.  `grad` is its `.grad` after the step, and `state` what
 * the optimizer remembers of it, e.g. "momentum_buffer" or "exp_avg": tensors, and the Python text of what is none.
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
 * A pack hook was given what a node saves in `slot` and keeps `packed` instead: its Python text, or its type.
 */
export interface SavedTensorPacked {
  kind: 'saved_tensor_packed';
  seq: Natural;
  line: Natural | null;
  node: Identity;
  slot: Name;
  hook: Name;
  value: Summary;
  packed: Name;
}
/**
 * An unpack hook gave back the tensor that a node needs.
 */
export interface SavedTensorUnpacked {
  kind: 'saved_tensor_unpacked';
  seq: Natural;
  line: Natural | null;
  call: Identity | null;
  node: Identity;
  slot: Name;
  hook: Name;
  value: Summary;
}
/**
 * A node let go of a saved tensor; the memory is free when nobody else holds `storage`.
 */
export interface BufferFreed {
  kind: 'buffer_freed';
  seq: Natural;
  line: Natural | null;
  node: Identity;
  slot: Name;
  storage: Identity;
  nbytes: Size;
}
/**
 * A function began to run under checkpoint number `checkpoint`, without saving tensors for its backward.
 *
 * Of a `selective` one the policy says which results are kept; traces of before that was told have none.
 */
export interface CheckpointEntered {
  kind: 'checkpoint_entered';
  seq: Natural;
  line: Natural | null;
  checkpoint: Identity;
  function: Name;
  reentrant: boolean;
  selective: boolean;
}
/**
 * The forward pass of a checkpointed function is over; `kept` are the results that its policy kept.
 */
export interface CheckpointLeft {
  kind: 'checkpoint_left';
  seq: Natural;
  line: Natural | null;
  checkpoint: Identity;
  /**
   * @maxItems 65536
   */
  kept: Identity[];
}
/**
 * The function of a checkpoint runs again, because `node` needs what it did not save.
 */
export interface RecomputationStarted {
  kind: 'recomputation_started';
  seq: Natural;
  line: Natural | null;
  call: Identity | null;
  checkpoint: Identity;
  node: Identity | null;
}
/**
 * The recomputation of a checkpoint is over.
 */
export interface RecomputationFinished {
  kind: 'recomputation_finished';
  seq: Natural;
  line: Natural | null;
  checkpoint: Identity;
}
/**
 * The user hung a hook on a tensor, or on a node where `tensor` is None; `where` is as in hook_ran.
 *
 * `node` is the tensor's grad_fn then, None for a leaf.
 */
export interface HookRegistered {
  kind: 'hook_registered';
  seq: Natural;
  line: Natural | null;
  where: Name;
  hook: Name;
  tensor: Identity | null;
  node: Identity | null;
}
/**
 * The user hung a hook on the module at the path `module`: it runs where the module is called.
 *
 * `where` is as in hook_ran; `parameters` are the module's own.
 */
export interface ModuleHookRegistered {
  kind: 'module_hook_registered';
  seq: Natural;
  line: Natural | null;
  where: Name;
  hook: Name;
  module: Name;
  /**
   * @maxItems 65536
   */
  parameters: Identity[];
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
  seq: Natural;
  line: Natural | null;
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
 * The user took a hook away again: the first of these that was registered.
 */
export interface HookRemoved {
  kind: 'hook_removed';
  seq: Natural;
  line: Natural | null;
  where: Name;
  hook: Name;
  tensor: Identity | null;
  node: Identity | null;
}
/**
 * The debugger stopped the program; everything before has been told, and nothing follows until it goes on.
 *
 * `reason` is "pause", "step" or "breakpoint", and `breakpoints` has those that stopped it.  `where` is "line" before
 * a line runs, "moment" after what was told last, "before node" or "after node" in a backward pass, of which `call`
 * and `node` say where, or "end" where the program is over and its variables are still there.  `stack` has the frames
 * of the user's code, outermost first, of a deep one the innermost, and `frames_left_out` counts those around them;
 * `note` is what else there is to say.
 */
export interface Paused {
  kind: 'paused';
  seq: Natural;
  line: Natural | null;
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
 * The program goes on; `to` is "resume" or what it was told to step to.
 */
export interface Resumed {
  kind: 'resumed';
  seq: Natural;
  line: Natural | null;
  to: Name;
}
/**
 * The user of the debugger carried out `target = expression` in a function of the paused program.
 *
 * What that does to tensors follows as for any other statement.
 */
export interface ValueChanged {
  kind: 'value_changed';
  seq: Natural;
  line: Natural | null;
  function: Name;
  target: Name;
  expression: Name;
}
/**
 * Stop a running program at its next line, node or moment.
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
 * Go on, and stop again: after the next "moment" that is told, at the next "line" of this function or its caller.
 *
 * Or at the next line anywhere ("into"), at the next line outside of this function ("out"), before the next "node" of
 * a backward pass or where the pass fails, where the next "backward" pass starts, once the event `seq` is told
 * ("seq"), or never ("end").  With `at_end`, a program that ends before `seq` is told stops there, with its variables
 * still to be seen.
 */
export interface Step {
  command: 'step';
  id: Natural;
  to: 'backward' | 'end' | 'into' | 'line' | 'moment' | 'node' | 'out' | 'seq';
  seq?: Natural | null;
  at_end?: boolean;
}
/**
 * Have these breakpoints and no others; one whose definition stays the same keeps its count of hits.
 *
 * One that cannot be set does not keep the others from being set: the answer says which and why.
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
}
/**
 * Stops before a line runs; a line without a statement stands for the next one that has one.
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
}
/**
 * Stops after an op of this `name` ran, e.g. "exp", or before a node of this name runs, e.g. "ExpBackward0".
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
 * Stops before or after one `node` runs in a backward pass; where it fails, then.
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
 * Stops at what happens to a `tensor`, which is an identity or the name of a variable.
 *
 * "created": the tensor comes to be, or the variable is bound to another one; "changed": its memory is changed in
 * place; "gradient": a gradient for it, as its last change in place left it, is complete; "accumulated": its `.grad`
 * was updated; "released": it is gone, which stops at the next line.
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
 * Stops where a NaN or an infinity comes of finite numbers, in an op, in a node's gradients, or in memory.
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
 * Stops after a node freed what it saved; with a `name` only those of that name.
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
 * Stops after a hook ran; with a `name` only those of that name.
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
 * Stops where an exception leaves a function or is caught, with its frame still there; with a `type` only those.
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
 * The value of an expression in a frame of the paused program, 0 for the innermost; leaves no trace in the log.
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
 * The variables of a frame of the paused program, 0 for the innermost.
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
 * The elements of a tensor, or of its `.grad`: of each dim those from `begin` up to `end`, all where these end.
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
 * Statistics and a histogram of all elements of a tensor, or of its `.grad`, and how it lies in its memory.
 */
export interface MeasureTensor {
  command: 'measure_tensor';
  id: Natural;
  tensor: Natural;
  of?: 'data' | 'grad';
}
/**
 * Change a variable, an attribute or elements: `target = expression` in a frame; told as value_changed.
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
 * Where an `element` of the gradient comes from that arrives at output `output_nr` of a `node`.
 *
 * Asked where the pass that brings it is about to run: right after its backward_started.  For a leaf the node is its
 * AccumulateGrad.  Followed are, up to `depth` steps, the elements that give most to the one before; of each `most`
 * shares are told.  The pass is rehearsed for it, with its hooks, and nothing of it is kept.
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
 * The command is carried out; one to go on, or to pause, is under way.
 */
export interface Done {
  answer: 'done';
  id: Natural;
}
/**
 * The command is not carried out, for a reason in plain words.
 */
export interface Refused {
  answer: 'refused';
  id: Natural;
  reason: Name;
}
/**
 * The breakpoints are in force, but for those that are `unusable`; `places` has those that are on a line.
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
}
/**
 * Where a breakpoint came to be: its `line` where it has one, None for others.
 */
export interface BreakpointPlace {
  id: Natural;
  line: Natural | null;
}
/**
 * A breakpoint that cannot be set, and why.
 */
export interface UnusableBreakpoint {
  id: Natural;
  reason: Name;
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
 * What something is: its type, its Python text, cut where it is long; of a tensor its identity and its Summary.
 *
 * `tensor` is None for one that the recording has not met.
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
 * The elements that were asked for, in row-major order, and their shape; `whole` is that of the tensor.
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
 * All elements of a tensor in few numbers.
 *
 * `min`, `max`, `mean`, `std` and `norm` are of the finite elements, `count` of them; of complex ones by magnitude.
 * `counts` are those of bins of equal width between the two `ends`; both are empty where there are no such bins.
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
 * An element of a gradient of the pass `call` and, one after the other, that which gives most to the one before.
 *
 * `more` where the `path` could go on.
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
 * An element of the gradient that arrives at output `output_nr` of a `node`: the sum of `arrivals`.
 *
 * `shape` is that of the gradient, `arrived` the sum, and `value` what the node runs on or the leaf takes after
 * `hooks`, by name, saw it.
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
 * A summand of an element of a gradient: what `node` sends for its input `input_nr`, or what the pass was given.
 *
 * `node` is None for the latter.  `shares` has the largest shares, non-finite ones first; `more` counts the others,
 * which come to `rest`.  `made` is what the node's formula gives, which its hooks exchanged for `sent` where the two
 * differ.  `adds_up` where the shares have the sum `made`, but for rounding; `why` says why they have not, or why
 * there are none.
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
 * What an element of the gradient that a node ran on gives to an element that it sends.
 *
 * `element` is the place in the gradient of the op's output `output_nr`, `incoming` what was there, and `amount` what
 * it gives: `factor * incoming`, but where `factor` is None: there the node was run on that element alone.
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
 * The expressions of the Watch with this `id` are watched but for those that are `unusable`.
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
 * Expression number `watch` is none, for a reason in plain words.
 */
export interface UnusableWatch {
  watch: Natural;
  reason: Name;
}
