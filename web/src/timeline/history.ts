// What happened to each tensor, node, edge and storage, in order: any moment of the past is a binary search away.

import type {
  CheckpointEntered,
  ErrorRaised,
  Event,
  GradientSent,
  NodeInfo,
  OpApplied,
  ParameterUpdate,
  RecomputationStarted,
  SavedTensor,
  SavedTensorPacked,
  Summary,
  TensorInfo,
} from '../protocol/events';
import { isBad } from '../protocol/finite';
import { AskedInfinities } from './asked-infinities';
import { ErrorOutcomes } from './error-outcome';
import { Gradients } from './gradients';
import { type CallHistory, NodeHistory, TensorHistory } from './histories';
import { Whereabouts } from './module-calls';
import { SelectiveCheckpoints } from './selective-checkpoints';
import { Series } from './series';
import { VersionCounters } from './version-counters';

/** The histories of everything in one run, kept up event by event. */
export class History {
  readonly tensors = new Map<number, TensorHistory>();
  readonly nodes = new Map<number, NodeHistory>();
  readonly calls: CallHistory[] = [];
  readonly callStarts: number[] = [];
  readonly errors = new Series<ErrorRaised>();
  readonly outcomes = new ErrorOutcomes();
  readonly prints = new Series<Event>();
  /** What optimizers did to each parameter. */
  readonly stepped = new Map<number, Series<ParameterUpdate>>();
  /** What happened to the `.grad` of leaves. */
  readonly gradients = new Gradients((tensor) => this.tensors.get(tensor));
  /** The variable that holds a tensor that is the `.grad` of another. */
  readonly gradOf = new Map<number, number>();
  /** Which nodes saved something of a storage. */
  readonly savers = new Map<number, { node: number; saved: SavedTensor }[]>();
  /** The event from which on some node leads to a node. */
  readonly users = new Map<number, number>();
  readonly checkpoints = new Map<number, CheckpointEntered>();
  readonly selective = new SelectiveCheckpoints();
  /** The recomputations, each until its end. */
  readonly recomputations = new Series<RecomputationStarted | null>();
  /** The grad modes that ops outside backward passes ran under; "grad" before the first. */
  readonly modes = new Series<string>();
  /** The gradients that were sent to each node, in order. */
  readonly arrivals = new Map<number, Series<GradientSent>>();
  /** The event with which a node first sent a NaN. */
  readonly nanSent = new Map<number, number>();
  readonly asked = new AskedInfinities();
  readonly whereabouts = new Whereabouts();
  readonly #versions = new VersionCounters();
  /** By node, then by the number of the input. */
  readonly #edges = new Map<number, (Series<GradientSent> | undefined)[]>();
  /** The nodes that the op under way gave to tensors. */
  readonly #rebased = new Map<number, number>();

  /** Whether a tensor's value holds something that is not finite, and that the program did not ask for. */
  isBroken(tensor: number, value: Summary): boolean {
    return isBad(value) && !this.asked.covers(tensor, value);
  }

  /** Takes the next event. */
  add(event: Event): void {
    this.whereabouts.add(event);
    this.asked.add(event);
    this.outcomes.add(event);
    switch (event.kind) {
      case 'tensor_created':
        if (event.origin === 'data') this.#versions.separate(event.info.tensor);
        this.#tensor(event.info, event.seq, event.line, event.origin, null, null);
        break;
      case 'tensor_named':
      case 'tensor_kept':
      case 'tangent_computed':
        this.tensors.get(event.tensor)?.add(event);
        break;
      case 'tensor_mutated':
        this.tensors.get(event.tensor)?.values.push(event.seq, event.value);
        this.#versions.note(event.tensor, event.storage, event.seq, event.version);
        this.gradients.mutated(event);
        break;
      case 'requires_grad_changed':
        this.tensors.get(event.tensor)?.requiresGrad.push(event.seq, event.requires_grad);
        break;
      case 'tensor_released': {
        const tensor = this.tensors.get(event.tensor);
        if (tensor) tensor.released = event.seq;
        break;
      }
      case 'node_created':
        // A leaf's node comes to be at its first use; readers look for the line of the leaf.
        this.#node(
          event.node,
          event.name,
          event.seq,
          (event.tensor === null ? null : this.tensors.get(event.tensor)?.line) ?? event.line,
          null,
          event.tensor,
        );
        break;
      case 'node_released': {
        const node = this.nodes.get(event.node);
        if (node) node.released = event.seq;
        break;
      }
      case 'op_applied': {
        this.selective.apply(event);
        const { node } = event;
        if (node) {
          // In place on a view: the node is the grad_fn of the whole that the view is a part of.
          const whole = this.nodes.get(node.node)?.made;
          const made = this.#node(node.node, node.name, event.seq, event.line, node, null);
          made.op = event;
          // A node that was announced before its op, as for a hook on what it saves, had made nothing yet.
          made.made = whole?.length ? whole : event.outputs.map((output) => output.tensor);
        }
        if (event.is_view) this.#versions.share(event.inputs[0]?.tensor ?? -1, event.outputs);
        for (const output of event.outputs) {
          // A view that was changed in place got its own node before.
          const gradFn = node && output.requires_grad ? (this.#rebased.get(output.tensor) ?? node.node) : null;
          this.#tensor(output, event.seq, event.line, event.op, gradFn, event.in_place ? null : event);
        }
        this.#rebased.clear();
        break;
      }
      case 'graph_rebased':
        this.#node(event.node.node, event.node.name, event.seq, event.line, event.node, null).made = [event.tensor];
        this.tensors.get(event.tensor)?.gradFn.push(event.seq, event.node.node);
        this.tensors.get(event.tensor)?.requiresGrad.push(event.seq, true);
        this.#rebased.set(event.tensor, event.node.node);
        break;
      case 'backward_started':
        this.calls.push({ event, finished: Number.POSITIVE_INFINITY, ending: null });
        this.callStarts.push(event.seq);
        break;
      case 'backward_finished': {
        const call = this.calls.findLast((entry) => entry.event.call === event.call);
        if (call) {
          call.finished = event.seq;
          call.ending = event;
        }
        break;
      }
      case 'node_started':
        this.nodes.get(event.node)?.starts.push(event.seq, event);
        break;
      case 'node_finished':
        this.nodes.get(event.node)?.finishes.push(event.seq, event.call);
        break;
      case 'gradient_sent':
        this.#sent(event);
        break;
      case 'buffer_freed':
        this.nodes.get(event.node)?.free(event.slot, event.seq);
        break;
      case 'grad_accumulated':
        this.gradients.accumulated(event);
        this.gradOf.set(event.grad, event.tensor);
        break;
      case 'grad_cleared':
        this.gradients.cleared(event);
        break;
      case 'gradient_captured':
        if (event.tensor !== null) this.tensors.get(event.tensor)?.add(event);
        break;
      case 'optimizer_stepped':
        for (const update of event.updates) {
          this.tensors.get(update.tensor)?.values.push(event.seq, update.after);
          const steps = this.stepped.get(update.tensor) ?? new Series();
          this.stepped.set(update.tensor, steps);
          steps.push(event.seq, update);
        }
        this.gradients.stepped(event);
        break;
      case 'error_raised':
        this.errors.push(event.seq, event);
        break;
      case 'output_printed':
        this.prints.push(event.seq, event);
        break;
      case 'grad_mode_changed':
        this.modes.push(event.seq, event.mode);
        break;
      case 'checkpoint_entered':
        this.checkpoints.set(event.checkpoint, event);
        this.selective.enter(event);
        break;
      case 'checkpoint_left':
        this.selective.leave(event);
        break;
      case 'recomputation_started':
        this.recomputations.push(event.seq, event);
        this.selective.repeat(event.checkpoint);
        break;
      case 'recomputation_finished':
        this.recomputations.push(event.seq, null);
        this.selective.repeat(null);
        break;
      case 'saved_tensor_packed':
        this.#pack(event);
        break;
      case 'saved_tensor_unpacked':
        this.nodes.get(event.node)?.packs.get(event.slot)?.unpacks.push(event.seq, event);
        break;
      case 'module_described':
      case 'module_entered':
      case 'module_left':
      case 'transform_entered':
      case 'transform_left':
      case 'round_started':
      case 'loop_finished':
      case 'function_entered':
      case 'function_left':
      case 'program_started':
      case 'source_added':
      case 'program_finished':
      case 'hook_registered':
      case 'module_hook_registered':
      case 'hook_ran':
      case 'hook_removed':
      case 'warning_raised':
      case 'paused':
      case 'resumed':
      case 'value_changed':
        break;
      default:
        event satisfies never;
    }
  }

  /** The tensors that lie in a storage, also those that were released. */
  sharing(storage: number): TensorHistory[] {
    const found: TensorHistory[] = [];
    for (const one of this.tensors.values()) if (one.storage === storage) found.push(one);
    return found;
  }

  /** The gradients that were sent along one edge, in order. */
  edge(node: number, inputNr: number): Series<GradientSent> | undefined {
    return this.#edges.get(node)?.[inputNr];
  }

  #tensor(
    info: TensorInfo,
    seq: number,
    line: number | null,
    origin: string,
    gradFn: number | null,
    op: OpApplied | null,
  ): void {
    let tensor = this.tensors.get(info.tensor);
    if (!tensor) {
      const { tensor: id, storage, base, is_leaf } = info;
      tensor = new TensorHistory(id, storage, base, seq, line, is_leaf, origin, op, this.gradients);
      this.tensors.set(id, tensor);
    }
    tensor.values.push(seq, info.value);
    tensor.requiresGrad.push(seq, info.requires_grad);
    tensor.gradFn.push(seq, gradFn);
    this.#versions.note(info.tensor, info.storage, seq, info.version);
  }

  /** The versions of a tensor's memory as that tensor counts them, undefined for one that is not known. */
  versionsOf(tensor: number | null, storage: number): Series<number> | undefined {
    return this.#versions.of(tensor, storage);
  }

  #node(
    node: number,
    name: string,
    seq: number,
    line: number | null,
    info: NodeInfo | null,
    leaf: number | null,
  ): NodeHistory {
    const made = new NodeHistory(node, name, seq, line, info, leaf);
    for (const next of info?.next_functions ?? []) {
      if (next && !this.users.has(next.node)) this.users.set(next.node, seq);
    }
    for (const saved of info?.saved ?? []) {
      const savers = this.savers.get(saved.storage);
      if (savers) savers.push({ node, saved });
      else this.savers.set(saved.storage, [{ node, saved }]);
    }
    this.nodes.set(node, made);
    return made;
  }

  #pack(event: SavedTensorPacked): void {
    const node = this.nodes.get(event.node);
    const under = this.selective.innermost;
    if (node) node.packs = new Map(node.packs).set(event.slot, { event, unpacks: new Series(), under });
  }

  #sent(event: GradientSent): void {
    if (event.value.nan_count > 0 && !this.nanSent.has(event.node)) this.nanSent.set(event.node, event.seq);
    let inputs = this.#edges.get(event.node);
    if (!inputs) {
      inputs = new Array(event.input_nr + 1);
      this.#edges.set(event.node, inputs);
    }
    const series = inputs[event.input_nr] ?? new Series();
    inputs[event.input_nr] = series;
    series.push(event.seq, event);
    let arrivals = this.arrivals.get(event.to_node);
    if (!arrivals) {
      arrivals = new Series();
      this.arrivals.set(event.to_node, arrivals);
    }
    arrivals.push(event.seq, event);
  }
}
