// Lifetimes of buffers: from the op that saved them to where they are freed.

import * as say from '../messages/timeline/strips';
import type { SavedTensor } from '../protocol/events';
import type { Target } from '../scene/target';
import type { NodeHistory } from '../timeline/histories';
import type { History } from '../timeline/history';

/** From event `born` until event `end`, infinite while it is held. */
type Part = { born: number; end: number };
/** When a buffer was held, in parts that do not touch, and who saved it first; `shared` counts the others. */
export type Lifetime = {
  node: number;
  slot: string;
  name: string;
  line: number | null;
  nbytes: number;
  parts: Part[];
  shared: number;
};

const MOST = 24;

/** What a selected node saved, or what was saved of a selected tensor; null where that is nothing. */
export function lifetimesOf(target: Target | null, history: History): Lifetime[] | null {
  let found: Lifetime[] = [];
  if (target?.type === 'node' || target?.type === 'saved') {
    const node = history.nodes.get(target.node);
    found = (node?.info?.saved ?? []).map((saved) => lifetime(node!, saved));
  } else if (target?.type === 'tensor') {
    const storage = history.tensors.get(target.tensor)?.storage ?? -1;
    found = (history.savers.get(storage) ?? []).map(({ node, saved }) => lifetime(history.nodes.get(node)!, saved));
  }
  return found.length > 0 ? found.slice(0, MOST) : null;
}

/** All buffers, the largest first; memory that several nodes saved counts once. */
export function allLifetimes(history: History): Lifetime[] {
  const all: Lifetime[] = [];
  for (const savers of history.savers.values()) {
    const [first, ...others] = savers.map(({ node, saved }) => lifetime(history.nodes.get(node)!, saved));
    if (!first) continue;
    const nbytes = others.reduce((most, one) => Math.max(most, one.nbytes), first.nbytes);
    const parts = joined([first, ...others].flatMap((one) => one.parts));
    all.push({ ...first, nbytes, parts, shared: others.length });
  }
  return all.sort((a, b) => b.nbytes - a.nbytes || a.parts[0]!.born - b.parts[0]!.born);
}

/** The first of an ordered list: those held after event `seq`, then others. */
export function largestLifetimes(all: readonly Lifetime[], seq: number): Lifetime[] {
  const held: Lifetime[] = [];
  const others: Lifetime[] = [];
  for (const one of all) {
    if (isHeldAt(one, seq)) held.push(one);
    else if (others.length < MOST) others.push(one);
    if (held.length === MOST) break;
  }
  return [...held, ...others].slice(0, MOST);
}

/** The names of some of these buffers: those of one name are distinguished by their lines, those of one line by their order. */
export function labelsOf(some: readonly Lifetime[], among: readonly Lifetime[]): string[] {
  const short = ({ name, slot }: Lifetime) => `${name} ${slot.replace('_saved_', '')}`;
  const wanted = new Set(some.map(short));
  const alike = new Map<string, Lifetime[]>();
  for (const one of among) {
    const name = short(one);
    if (!wanted.has(name)) continue;
    const others = alike.get(name);
    if (others) others.push(one);
    else alike.set(name, [one]);
  }
  return some.map((one) => {
    const others = alike.get(short(one)) ?? [];
    if (others.length < 2) return short(one);
    const there = others.filter(({ line }) => line === one.line);
    const earlier = there.filter(({ node }) => node < one.node).length;
    return say.namesake(short(one), one.line, there.length > 1 ? earlier + 1 : null);
  });
}

/** Whether a buffer is held after event `seq`. */
export function isHeldAt({ parts }: Lifetime, seq: number): boolean {
  return parts.some(({ born, end }) => born <= seq && end > seq);
}

function joined(parts: readonly Part[]): Part[] {
  const made: Part[] = [];
  for (const part of parts.toSorted((a, b) => a.born - b.born)) {
    const last = made.at(-1);
    if (last && part.born <= last.end) last.end = Math.max(last.end, part.end);
    else made.push({ ...part });
  }
  return made;
}

function lifetime(node: NodeHistory, { slot, nbytes }: SavedTensor): Lifetime {
  const end = Math.min(node.released, node.freedAt(slot));
  return {
    node: node.node,
    slot,
    name: node.name,
    line: node.line,
    nbytes,
    parts: [{ born: node.born, end }],
    shared: 0,
  };
}
