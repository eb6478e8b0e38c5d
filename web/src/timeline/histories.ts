// The records that a History keeps: of a tensor, a node, what a pack hook did, and a backward pass.

import type {
  BackwardFinished,
  BackwardStarted,
  CheckpointEntered,
  GradAccumulated,
  NodeInfo,
  NodeStarted,
  OpApplied,
  SavedTensorPacked,
  SavedTensorUnpacked,
  Summary,
  TangentComputed,
} from '../protocol/events';
import type { GradChange } from './gradients';
import { Series } from './series';

export type TensorHistory = {
  tensor: number;
  storage: number;
  born: number;
  released: number;
  line: number | null;
  isLeaf: boolean;
  /** The creation function or op that made it, and that op. */
  origin: string;
  op: OpApplied | null;
  names: Series<string>;
  values: Series<Summary>;
  requiresGrad: Series<boolean>;
  grads: Series<GradChange>;
  /** What retain_grad or autograd.grad kept of its gradient. */
  kept: Series<Summary>;
  /** The containers that took it in, such as `losses`, and where. */
  takers: Series<{ name: string; line: number | null }>;
  /** The node that made it: its grad_fn, or null for leaves and untracked results. */
  gradFn: Series<number | null>;
  tangents: Series<TangentComputed>;
};

export type NodeHistory = {
  node: number;
  name: string;
  born: number;
  released: number;
  line: number | null;
  info: NodeInfo | null;
  /** The op that made it, and its results. */
  op: OpApplied | null;
  made: number[];
  /** The leaf of an AccumulateGrad. */
  leaf: number | null;
  starts: Series<NodeStarted | GradAccumulated>;
  finishes: Series<number>;
  freed: ReadonlyMap<string, number>;
  /** What pack hooks did with what it saves, by slot, and what came back each time. */
  packs: ReadonlyMap<string, Pack>;
};

/** `under` is the checkpoint that was under way. */
export type Pack = {
  event: SavedTensorPacked;
  unpacks: Series<SavedTensorUnpacked>;
  under: CheckpointEntered | null;
};

export type CallHistory = { event: BackwardStarted; finished: number; ending: BackwardFinished | null };

/** Most nodes have nothing freed or packed, and an empty map takes as much memory as all else of a node. */
const NOTHING: ReadonlyMap<string, never> = new Map<string, never>();

/** Return the record of a node that has just come to be: nothing has happened to it yet. */
export function newNodeHistory(
  known: Pick<NodeHistory, 'node' | 'name' | 'born' | 'line' | 'info' | 'leaf'>,
): NodeHistory {
  return {
    ...known,
    released: Number.POSITIVE_INFINITY,
    op: null,
    made: [],
    starts: new Series(),
    finishes: new Series(),
    freed: NOTHING,
    packs: NOTHING,
  };
}

/** Return the record of a tensor that has just come to be, with the changes of its `.grad`. */
export function newTensorHistory(
  known: Pick<TensorHistory, 'tensor' | 'storage' | 'born' | 'line' | 'isLeaf' | 'origin' | 'op' | 'grads'>,
): TensorHistory {
  return {
    ...known,
    released: Number.POSITIVE_INFINITY,
    names: new Series(),
    values: new Series(),
    requiresGrad: new Series(),
    kept: new Series(),
    takers: new Series(),
    gradFn: new Series(),
    tangents: new Series(),
  };
}
