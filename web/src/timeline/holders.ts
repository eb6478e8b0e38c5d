// The holders of memory at a moment: variables, views, `.grad`s, saved tensors and what keeps their graph alive.

import type { TensorHistory } from './histories';
import type { History } from './history';

export type Holder =
  /** A variable of the program that is still bound to the tensor. */
  | { kind: 'variable'; tensor: number; name: string }
  /** A tensor that no variable is bound to; `name` is what it was called once, `taker` the container that took it in. */
  | {
      kind: 'tensor';
      tensor: number;
      name: string | null;
      origin: string;
      taker: { name: string; line: number | null } | null;
    }
  | { kind: 'grad'; tensor: number; of: number }
  /** What a node saved.  `root` is the tensor whose grad_fn leads to the node, null where none was found. */
  | { kind: 'saved'; node: number; slot: string; root: number | null };

export type Held = {
  storage: number;
  nbytes: number;
  /** What the memory curve counts it as. */
  counted: 'saved' | 'gradients' | 'values';
  line: number | null;
  seq: number;
  holders: Holder[];
};

/** The storages that are held after event `seq`, the largest first. */
export function heldAt(history: History, seq: number): Held[] {
  const bound = boundAt(history, seq);
  const found = new Map<number, Held>();
  const held = (storage: number, nbytes: number, line: number | null, born: number): Held => {
    let one = found.get(storage);
    if (!one) {
      one = { storage, nbytes: 0, counted: 'values', line, seq: born, holders: [] };
      found.set(storage, one);
    }
    one.nbytes = Math.max(one.nbytes, nbytes);
    return one;
  };
  const graded = new Set<number>();
  const grads: number[] = [];
  for (const [tensor, one] of history.tensors) {
    if (one.born > seq) continue;
    const leaf = gradAt(history, tensor, seq);
    if (leaf !== null) graded.add(one.storage);
    if (one.released <= seq) continue;
    const entry = held(one.storage, one.values.entries[0]?.nbytes ?? 0, one.line, one.born);
    if (leaf !== null) {
      entry.holders.push({ kind: 'grad', tensor, of: leaf });
      grads.push(tensor);
      continue;
    }
    const names = namesAt(one, seq);
    const now = names.filter((name) => bound.get(name) === tensor);
    for (const name of now) entry.holders.push({ kind: 'variable', tensor, name });
    if (now.length === 0)
      entry.holders.push({
        kind: 'tensor',
        tensor,
        name: names.at(-1) ?? null,
        origin: one.origin,
        taker: one.takers.at(seq) ?? null,
      });
  }
  const roots = rootsAt(history, seq, bound);
  for (const savers of history.savers.values()) {
    for (const { node, saved } of savers) {
      if (!isSaved(history, node, saved.slot, seq)) continue;
      const maker = history.nodes.get(node)!;
      const entry = held(saved.storage, saved.nbytes, maker.line, maker.born);
      entry.counted = 'saved';
      entry.holders.push({ kind: 'saved', node, slot: saved.slot, root: roots.get(node) ?? null });
    }
  }
  for (const one of found.values()) if (one.counted === 'values' && graded.has(one.storage)) one.counted = 'gradients';
  return [...found.values()].sort((a, b) => b.nbytes - a.nbytes || a.seq - b.seq);
}

/** The tensors that lie in a storage after event `seq`, each with the leaf whose `.grad` it is. */
export function inStorage(history: History, storage: number, seq: number): { tensor: number; leaf: number | null }[] {
  const found: { tensor: number; leaf: number | null }[] = [];
  for (const one of history.sharing(storage)) {
    if (one.born > seq || one.released <= seq) continue;
    found.push({ tensor: one.tensor, leaf: gradAt(history, one.tensor, seq) });
  }
  return found;
}

/** The leaf whose `.grad` a tensor is by now; null where it is none. */
function gradAt(history: History, tensor: number, seq: number): number | null {
  const leaf = history.gradOf.get(tensor);
  if (leaf === undefined) return null;
  const since = history.tensors
    .get(leaf)
    ?.grads.entries.find(({ event }) => event.kind === 'grad_accumulated' && event.grad === tensor);
  return since && since.event.seq <= seq ? leaf : null;
}

function namesAt(tensor: TensorHistory, seq: number): string[] {
  return [...new Set(tensor.names.entries.slice(0, tensor.names.count(seq)))];
}

/** The tensor that each variable was bound to last. */
export function boundAt(history: History, seq: number): Map<string, number> {
  const last = new Map<string, { tensor: number; seq: number }>();
  for (const [tensor, one] of history.tensors) {
    for (let i = 0; i < one.names.count(seq); i += 1) {
      const name = one.names.entries[i]!;
      const at = one.names.seqs[i]!;
      if ((last.get(name)?.seq ?? -1) < at) last.set(name, { tensor, seq: at });
    }
  }
  return new Map([...last].map(([name, { tensor }]) => [name, tensor]));
}

/** Whether a node still has what it saved in a slot: not freed, and not packed into a thing of another kind. */
function isSaved(history: History, node: number, slot: string, seq: number): boolean {
  const one = history.nodes.get(node);
  if (!one || one.born > seq || one.released <= seq) return false;
  if (one.freedAt(slot) <= seq) return false;
  const pack = one.packs.get(slot)?.event;
  return !pack || pack.seq > seq || pack.packed === 'Tensor';
}

/** For each node a tensor whose grad_fn leads to it: one that a variable has, else any, the youngest first. */
function rootsAt(history: History, seq: number, bound: Map<string, number>): Map<number, number> {
  const named = new Set(bound.values());
  const candidates: { tensor: number; node: number; born: number }[] = [];
  for (const [tensor, one] of history.tensors) {
    const node = one.born <= seq && one.released > seq ? one.gradFn.at(seq) : null;
    if (node != null) candidates.push({ tensor, node, born: one.born });
  }
  candidates.sort((a, b) => Number(named.has(b.tensor)) - Number(named.has(a.tensor)) || b.born - a.born);
  const roots = new Map<number, number>();
  for (const { tensor, node } of candidates) {
    const stack = [node];
    while (stack.length > 0) {
      const at = stack.pop()!;
      if (roots.has(at)) continue;
      roots.set(at, tensor);
      for (const edge of history.nodes.get(at)?.info?.next_functions ?? []) if (edge) stack.push(edge.node);
    }
  }
  return roots;
}
