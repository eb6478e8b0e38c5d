// The records that a History keeps: of a tensor, a node, what a pack hook did, and a backward pass.

import type {
  BackwardFinished,
  BackwardStarted,
  CheckpointEntered,
  GradAccumulated,
  GradientCaptured,
  NodeInfo,
  NodeStarted,
  OpApplied,
  SavedTensorPacked,
  SavedTensorUnpacked,
  Summary,
  TangentComputed,
  TensorKept,
  TensorNamed,
} from '../protocol/events';
import type { GradChange, Gradients } from './gradients';
import { EMPTY, Series } from './series';

const NOTHING: ReadonlyMap<string, never> = new Map<string, never>();
const NONE: readonly never[] = [];

/** What happened to a tensor.  A run has hundreds of thousands of them: what most never have is made when it comes. */
export class TensorHistory {
  released = Number.POSITIVE_INFINITY;
  readonly values = new Series<Summary>();
  readonly requiresGrad = new Series<boolean>();
  /** The node that made it: its grad_fn, or null for leaves and untracked results. */
  readonly gradFn = new Series<number | null>();
  #names: Series<string> | null = null;
  #kept: Series<Summary> | null = null;
  #takers: Series<{ name: string; line: number | null }> | null = null;
  #tangents: Series<TangentComputed> | null = null;

  /** `origin` is the creation function or the op that made it, `op` that op. */
  constructor(
    readonly tensor: number,
    readonly storage: number,
    readonly base: number | null,
    readonly born: number,
    readonly line: number | null,
    readonly isLeaf: boolean,
    readonly origin: string,
    readonly op: OpApplied | null,
    readonly gradients: Gradients,
  ) {}

  get names(): Series<string> {
    return this.#names ?? EMPTY;
  }

  /** The changes of its `.grad`. */
  get grads(): Series<GradChange> {
    return this.gradients.of(this.tensor);
  }

  /** What retain_grad or autograd.grad kept of its gradient. */
  get kept(): Series<Summary> {
    return this.#kept ?? EMPTY;
  }

  /** The containers that took it in, such as `losses`, and where. */
  get takers(): Series<{ name: string; line: number | null }> {
    return this.#takers ?? EMPTY;
  }

  get tangents(): Series<TangentComputed> {
    return this.#tangents ?? EMPTY;
  }

  /** Takes what an event says of it alone. */
  add(event: TensorNamed | TensorKept | GradientCaptured | TangentComputed): void {
    const { seq } = event;
    if (event.kind === 'tensor_named') this.#names = pushed(this.#names, seq, event.name);
    else if (event.kind === 'gradient_captured') this.#kept = pushed(this.#kept, seq, event.value);
    else if (event.kind === 'tangent_computed') this.#tangents = pushed(this.#tangents, seq, event);
    else this.#takers = pushed(this.#takers, seq, { name: event.holder, line: event.line });
  }
}

function pushed<T>(series: Series<T> | null, seq: number, entry: T): Series<T> {
  const one = series ?? new Series<T>();
  one.push(seq, entry);
  return one;
}

/** That a slot was freed, and the one before. */
type Freed = { slot: string; seq: number; before: Freed | null };

/** What happened to a node. */
export class NodeHistory {
  released = Number.POSITIVE_INFINITY;
  /** The op that made it, and its results. */
  op: OpApplied | null = null;
  made: readonly number[] = NONE;
  readonly starts = new Series<NodeStarted | GradAccumulated>();
  readonly finishes = new Series<number>();
  /** What pack hooks did with what it saves, by slot, and what came back each time. */
  packs: ReadonlyMap<string, Pack> = NOTHING;
  /** A map for each node takes as much memory as all else of it. */
  #freed: Freed | null = null;

  /** `leaf` is the leaf of an AccumulateGrad. */
  constructor(
    readonly node: number,
    readonly name: string,
    readonly born: number,
    readonly line: number | null,
    readonly info: NodeInfo | null,
    readonly leaf: number | null,
  ) {}

  /** Takes that what it saved in a slot was freed. */
  free(slot: string, seq: number): void {
    this.#freed = { slot, seq, before: this.#freed };
  }

  /** The event that freed what is saved in a slot, infinite where none did. */
  freedAt(slot: string): number {
    let one = this.#freed;
    while (one && one.slot !== slot) one = one.before;
    return one?.seq ?? Number.POSITIVE_INFINITY;
  }
}

/** `under` is the checkpoint that was under way. */
export type Pack = {
  event: SavedTensorPacked;
  unpacks: Series<SavedTensorUnpacked>;
  under: CheckpointEntered | null;
};

export type CallHistory = { event: BackwardStarted; finished: number; ending: BackwardFinished | null };
