// The program at one moment: a view of the histories up to one event, the same from wherever one comes.

import type {
  BackwardStarted,
  ErrorRaised,
  Event,
  GradientSent,
  RecomputationStarted,
  SavedTensor,
  SavedTensorPacked,
  SavedTensorUnpacked,
  Summary,
  TangentComputed,
} from '../protocol/events';
import type { CallHistory, Pack, TensorHistory } from './histories';
import type { History } from './history';
import { lastAt } from './moments';

/** Contributions that are kept one by one. */
const MOST_LAYERS = 6;

export type GradState = {
  /** How many contributions came since `.grad` was last empty, zero or changed in place, and the latest of them, oldest first. */
  count: number;
  layers: Summary[];
  total: Summary;
};

export type TensorState = {
  tensor: number;
  name: string | null;
  value: Summary;
  version: number;
  requiresGrad: boolean;
  isLeaf: boolean;
  alive: boolean;
  storage: number;
  /** The node that made it, null for leaves and untracked results. */
  gradFn: number | null;
  grad: GradState | null;
  /** Its tangent in a forward-mode pass. */
  tangent: TangentComputed | null;
};

export type SavedState = SavedTensor & {
  live: boolean;
  /** The version of its storage now; another than `version` makes the backward pass fail. */
  versionNow: number;
  /** What a pack hook keeps instead, and what the unpack hook gave back last. */
  packed: string | null;
  unpacked: SavedTensorUnpacked | null;
  /** A checkpoint does not keep it and computes it again. */
  dropped: boolean;
};

export type NodeStatus = 'idle' | 'running' | 'done';

export type NodeState = {
  node: number;
  name: string;
  leaf: number | null;
  alive: boolean;
  status: NodeStatus;
  /** The call that it last ran in. */
  call: number | null;
  saved: SavedState[];
};

export type CallState = { event: BackwardStarted; running: boolean; failed: boolean };

/** The state after event `seq`, moment `moment`; -1 for both is before everything. */
export class RunState {
  constructor(
    readonly history: History,
    readonly seq: number,
    readonly moment: number,
    readonly line: number | null,
    /** The events of the moment itself. */
    readonly events: readonly Event[] = [],
  ) {}

  /** Whether an event is one of the moment itself. */
  happens(seq: number): boolean {
    return this.events.some((event) => event.seq === seq);
  }

  /** A tensor that exists by now; null before its birth. */
  tensor(tensor: number): TensorState | null {
    return this.tensorAt(tensor, this.seq);
  }

  /** A tensor as it was after an event that lies at or before this state. */
  tensorAt(tensor: number, seq: number): TensorState | null {
    const history = this.history.tensors.get(tensor);
    if (!history || history.born > seq) return null;
    return {
      tensor,
      name: nameAt(history, seq),
      value: history.values.at(seq)!,
      version: this.history.versionsOf(tensor, history.storage)?.at(seq) ?? 0,
      requiresGrad: history.requiresGrad.at(seq) ?? false,
      isLeaf: history.isLeaf,
      alive: history.released > seq,
      storage: history.storage,
      gradFn: history.gradFn.at(seq) ?? null,
      grad: gradAt(history, seq),
      tangent: history.tangents.at(seq) ?? null,
    };
  }

  /** A node that exists by now; null before. */
  node(node: number): NodeState | null {
    const history = this.history.nodes.get(node);
    if (!history || history.born > this.seq) return null;
    const started = history.starts.at(this.seq);
    const running = started !== undefined && history.starts.count(this.seq) > history.finishes.count(this.seq);
    return {
      node,
      name: history.name,
      leaf: history.leaf,
      alive: history.released > this.seq,
      status: running && started.kind === 'node_started' ? 'running' : started ? 'done' : 'idle',
      call: started?.call ?? null,
      saved: (history.info?.saved ?? []).map((saved) => ({
        ...saved,
        live: history.freedAt(saved.slot) > this.seq && history.released > this.seq,
        packed: keptInstead(history.packs.get(saved.slot)?.event),
        dropped: isDropped(history.packs.get(saved.slot)?.event),
        unpacked: history.packs.get(saved.slot)?.unpacks.at(this.seq) ?? null,
        versionNow: this.history.versionsOf(saved.tensor, saved.storage)?.at(this.seq) ?? saved.version,
      })),
    };
  }

  /** The gradients that wait at the receiver of one that is sent, itself the last, in the order in which they came. */
  contributions(event: GradientSent): GradientSent[] {
    const arrivals = this.history.arrivals.get(event.to_node);
    const parts: GradientSent[] = [];
    for (let i = (arrivals?.count(event.seq) ?? 0) - 1; i >= 0; i -= 1) {
      const one = arrivals!.entries[i]!;
      if (one.call !== event.call) break;
      if (
        one.output_nr !== event.output_nr ||
        parts.some(({ node, input_nr }) => node === one.node && input_nr === one.input_nr)
      )
        continue;
      parts.unshift(one);
      if (one.total === null) break;
    }
    return parts;
  }

  /** What came to an output of a node in a pass, in order; one where nothing was added to it. */
  arrived(node: number, output: number, call: number): GradientSent[] {
    const arrivals = this.history.arrivals.get(node);
    const last = arrivals?.entries
      .slice(0, arrivals.count(this.seq))
      .findLast((one) => one.call === call && one.output_nr === output);
    return last ? this.contributions(last) : [];
  }

  /** Whether a node had saved a NaN, which the forward pass made. */
  keepsNaN(node: number): boolean {
    return (this.node(node)?.saved ?? []).some(
      ({ tensor }) => tensor !== null && (this.tensor(tensor)?.value.nan_count ?? 0) > 0,
    );
  }

  /** The live saved tensors whose storage has changed since they were saved, of one storage. */
  stale(storage: number): { node: NodeState; saved: SavedState }[] {
    const found: { node: NodeState; saved: SavedState }[] = [];
    for (const { node, saved } of this.history.savers.get(storage) ?? []) {
      const state = this.node(node);
      const now = state?.saved.find((slot) => slot.slot === saved.slot);
      if (state && now && isStale(now)) found.push({ node: state, saved: now });
    }
    return found;
  }

  /** The recomputation that is under way. */
  get recomputation(): RecomputationStarted | null {
    return this.history.recomputations.at(this.seq) ?? null;
  }

  /** The grad mode that ops run under: "grad", "no_grad" or "inference". */
  get mode(): string {
    return this.history.modes.at(this.seq) ?? 'grad';
  }

  /** What was last sent along an edge; undefined when nothing was. */
  sent(node: number, inputNr: number): GradientSent | undefined {
    return this.history.edge(node, inputNr)?.at(this.seq);
  }

  /** The backward pass that is under way, the innermost of several; else the one that began last, null before the first. */
  get call(): CallState | null {
    const { calls } = this.history;
    const last = calls[lastAt(this.history.callStarts, this.seq)];
    let call = last;
    while (call && call.finished <= this.seq && call.event.parent !== null) call = this.#outerOf(call);
    call ??= last;
    if (!call) return null;
    const over = call.finished <= this.seq;
    return { event: call.event, running: !over, failed: over && call.ending?.failed === true };
  }

  #outerOf(call: CallHistory): CallHistory | undefined {
    return this.history.calls.find((other) => other.event.call === call.event.parent);
  }

  /** The error that was raised last by now. */
  get error(): ErrorRaised | null {
    return this.history.errors.at(this.seq) ?? null;
  }

  /** How many times the program has printed. */
  get prints(): number {
    return this.history.prints.count(this.seq);
  }

  /** The tensors that exist by now, in the order of their birth. */
  get tensors(): TensorState[] {
    const found: TensorState[] = [];
    for (const tensor of this.history.tensors.keys()) {
      const state = this.tensor(tensor);
      if (state) found.push(state);
    }
    return found;
  }

  /** The nodes that exist by now, in the order of their birth. */
  get nodes(): NodeState[] {
    const found: NodeState[] = [];
    for (const node of this.history.nodes.keys()) {
      const state = this.node(node);
      if (state) found.push(state);
    }
    return found;
  }
}

/** Whether a checkpoint took a saved tensor away, to compute it again. */
export function isDropped(pack: SavedTensorPacked | undefined): boolean {
  return pack?.hook === 'checkpoint' && pack.packed === 'Placeholder';
}

/**
 * What becomes of a saved tensor that a checkpoint took away: the function is given it again, or computes it again, or the
 * policy of a selective checkpoint kept it.
 */
export type Fate = 'given' | 'computed' | 'kept';

export function fateOf(history: History, pack: Pack, tensor: number | null): Fate {
  const known = tensor === null ? undefined : history.tensors.get(tensor);
  if (!known) return 'computed';
  if (pack.under && known.born < pack.under.seq) return 'given';
  return history.selective.kept.has(known.tensor) ? 'kept' : 'computed';
}

function keptInstead(pack: SavedTensorPacked | undefined): string | null {
  return pack && !isDropped(pack) ? pack.packed : null;
}

/** Whether a saved tensor was changed since; what a hook keeps instead is a thing of its own. */
export function isStale(saved: SavedState): boolean {
  return saved.live && saved.packed === null && !saved.dropped && saved.versionNow !== saved.version;
}

/**
 * The first name that a tensor was given by now: `for p in params` does not rename the parameters.  An attribute, such as
 * `self.w`, only counts as long as nothing else names it.
 */
export function nameAt(history: TensorHistory, seq: number): string | null {
  const { entries } = history.names;
  const count = history.names.count(seq);
  if (count === 0) return null;
  if (!entries[0]!.startsWith('self.')) return entries[0]!;
  return entries.slice(0, count).find((name) => !name.startsWith('self.')) ?? entries[0]!;
}

function gradAt(history: TensorHistory, seq: number): GradState | null {
  const { grads } = history;
  const last = grads.at(seq);
  if (!last?.value) return null;
  const layers: Summary[] = [];
  const end = grads.count(seq);
  for (let i = end - 1; i >= 0 && layers.length < Math.min(last.layers, MOST_LAYERS); i -= 1) {
    const { layer } = grads.entries[i]!;
    if (layer) layers.push(layer);
  }
  return { count: last.layers, layers: layers.reverse(), total: last.value };
}
