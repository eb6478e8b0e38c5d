// What a box says of the ops in it beside their number: the shape that leaves it, and the lines that they are on.

import { shape } from '../../format/number';
import type { Area } from '../../layout/area';
import type { Item } from '../../layout/graph';

export type BoxFacts = {
  /** The shape of what its last op made; empty for a box without ops. */
  shape: string;
  /** The first and the last line of the program that its ops were called on; null where none is known. */
  lines: Span | null;
  /** When its first and its last op were called, as `seq`; null for a box without ops. */
  called: Span | null;
};

/** From the first to the last, both included. */
export type Span = { first: number; last: number };

/** No area changes once it is placed. */
const known = new WeakMap<Area, BoxFacts>();

/** The facts of an area, which are gathered when they are first read. */
export function factsOf(area: Area): BoxFacts {
  let facts = known.get(area);
  if (!facts) {
    const last = lastOf(area, null);
    const made = last?.event?.outputs.find(({ tensor }) => tensor === last.tensor) ?? last?.event?.outputs[0];
    facts = {
      shape: made ? shape(made.value.shape) : '',
      lines: linesOf(area, null),
      called: calledOf(area, null),
    };
    known.set(area, facts);
  }
  return facts;
}

function lastOf({ items, areas }: Area, found: Item | null): Item | null {
  let last = found;
  for (const item of items) if (item.kind === 'op' && (!last || item.seq > last.seq)) last = item;
  for (const inner of areas) last = lastOf(inner, last);
  return last;
}

function calledOf({ items, areas }: Area, found: Span | null): Span | null {
  let called = found;
  for (const { kind, seq } of items) {
    if (kind !== 'op') continue;
    called = called
      ? { first: Math.min(called.first, seq), last: Math.max(called.last, seq) }
      : { first: seq, last: seq };
  }
  for (const inner of areas) called = calledOf(inner, called);
  return called;
}

function linesOf({ items, areas }: Area, found: Span | null): Span | null {
  let lines = found;
  for (const { event } of items) {
    const line = event?.line;
    if (line == null) continue;
    if (!lines) lines = { first: line, last: line };
    else if (line < lines.first) lines = { ...lines, first: line };
    else if (line > lines.last) lines = { ...lines, last: line };
  }
  for (const inner of areas) lines = linesOf(inner, lines);
  return lines;
}
