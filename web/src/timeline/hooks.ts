// The hooks of a run: their places, and the arguments and result of each call.

import type { Event, HookRan } from '../protocol/events';
import { Series } from './series';

export type HungHook = {
  where: string;
  hook: string;
  module: string | null;
  /** The event from which on it hangs there, and the one that took it away. */
  hung: number;
  removed: number;
  tensor: number | null;
  runs: Series<HookRan>;
};

/** Hooks by what they hang on; what hangs on a leaf's AccumulateGrad hangs on the leaf. */
export class Hooks {
  readonly #nodes = new Map<number, HungHook[]>();
  readonly #tensors = new Map<number, HungHook[]>();
  readonly #leaves = new Map<number, number>();

  /** Takes the next event. */
  add(event: Event): void {
    switch (event.kind) {
      case 'node_created':
        if (event.tensor !== null) this.#leaves.set(event.node, event.tensor);
        break;
      case 'hook_registered':
        this.#hang(event, event.seq, null);
        break;
      case 'hook_removed': {
        const found = this.#of(event).find((one) => isSame(one, event) && !Number.isFinite(one.removed));
        if (found) found.removed = event.seq;
        break;
      }
      case 'hook_ran': {
        const same = this.#of(event).filter((one) => isSame(one, event) && one.removed > event.seq);
        // Hooks of one name run in the order in which they were hung.
        const fewest = Math.min(...same.map((one) => one.runs.entries.length));
        const found =
          same.find((one) => one.runs.entries.length === fewest) ?? this.#hang(event, event.seq, event.module);
        found?.runs.push(event.seq, event);
        break;
      }
      default:
        break;
    }
  }

  /** What hangs on a node. */
  ofNode(node: number): readonly HungHook[] {
    return this.#nodes.get(node) ?? [];
  }

  /** What hangs on a leaf, or watches a tensor in the forward pass. */
  ofTensor(tensor: number): readonly HungHook[] {
    return this.#tensors.get(tensor) ?? [];
  }

  #hang(event: Placed, seq: number, module: string | null): HungHook | null {
    const { where, hook, tensor } = event;
    const list = this.#of(event);
    if (list === NOWHERE) return null;
    const made: HungHook = {
      where,
      hook,
      module,
      hung: seq,
      removed: Number.POSITIVE_INFINITY,
      tensor,
      runs: new Series(),
    };
    list.push(made);
    return made;
  }

  #of({ tensor, node }: Placed): HungHook[] {
    const leaf = node === null ? tensor : (this.#leaves.get(node) ?? null);
    if (leaf !== null) return listAt(this.#tensors, leaf);
    return node === null ? NOWHERE : listAt(this.#nodes, node);
  }
}

type Placed = { where: string; hook: string; tensor: number | null; node: number | null };

const NOWHERE: HungHook[] = [];

function isSame(one: HungHook, event: Placed): boolean {
  return one.where === event.where && one.hook === event.hook;
}

function listAt(lists: Map<number, HungHook[]>, key: number): HungHook[] {
  let list = lists.get(key);
  if (!list) {
    list = [];
    lists.set(key, list);
  }
  return list;
}
