// The differences of two runs: their steps are aligned by op, module, name and line, and compared pair by pair.

import { asPart, atOnce } from '../find/work-slices';
import { typedShape } from '../format/number';
import type { Summary } from '../protocol/events';
import type { Target } from '../scene/target';
import type { Events } from '../store/log';
import { type Facet, MOST_STEPS, type Step, stepsOf, type What } from './compared-steps';
import { distance } from './distance';
import { KIN } from './kin';
import { align } from './sequence';

export type Kind = What | Facet | 'op' | 'shape' | 'added' | 'gone';
/** A place at which the runs differ; what is only in one of them is null in the other. */
export type Difference = {
  kind: Kind;
  label: string;
  base: Step | null;
  here: Step | null;
  /** The words or shapes on both sides, where it is not by how much that counts. */
  texts: readonly [base: string, here: string] | null;
  values: readonly [base: Summary, here: Summary] | null;
  /** What it is about in this run. */
  target: Target | null;
  /** By how much values differ, of the baseline's norm; null for anything else. */
  relative: number | null;
  /** At least by so much: not all elements are in the events. */
  least: boolean;
};
export type Comparison = {
  differences: readonly Difference[];
  /** The steps that belong together, by the seq of their events and in order. */
  pairs: readonly (readonly [base: number, here: number])[];
  /** How many steps were compared. */
  steps: number;
  /** How many times a .grad of one run was held against one of the other. */
  grads: number;
  /** One of the runs has more steps than are compared. */
  cut: boolean;
};

const PAIRS_AT_ONCE = 64;

/** Holds a run against its baseline; from time to time, how far it is. */
export function* compare(base: Events, here: Events): Generator<number, Comparison> {
  const before = yield* asPart(stepsOf(base), 0, 0.25);
  const after = yield* asPart(stepsOf(here), 0.25, 0.5);
  const lines = linesOf(sourceOf(base), sourceOf(here));
  const ids = new Map<string, number>();
  const coded = (steps: readonly Step[], of: ReadonlyMap<number, number> | null) =>
    steps.map(({ key, line, label }) => {
      // In two programs a line says nothing of which leaf is which; its name does.
      const own = !lines && key.startsWith('made ') ? `${key} ${label}` : key;
      const text = of && line !== null ? `${key} @${of.get(line) ?? ''}` : own;
      const id = ids.get(text) ?? ids.size;
      ids.set(text, id);
      return id;
    });
  const codes = [coded(before, lines?.base ?? null), coded(after, lines?.here ?? null)] as const;
  yield* asPart(pinBackward([before, after], codes, ids.size), 0.5, 0.6);
  const pairs = yield* asPart(align(...codes), 0.6, 0.7);
  const differences: Difference[] = [];
  let i = 0;
  let j = 0;
  for (const [at, [x, y]] of [...pairs, [before.length, after.length] as [number, number]].entries()) {
    if (at % PAIRS_AT_ONCE === 0) yield 0.7 + (0.3 * at) / pairs.length;
    gap(before.slice(i, x), after.slice(j, y), lines, differences);
    if (x < before.length && y < after.length) hold(before[x]!, after[y]!, differences);
    i = x + 1;
    j = y + 1;
  }
  return {
    differences,
    pairs: pairs.map(([x, y]) => [before[x]!.seq, after[y]!.seq] as const),
    steps: after.length,
    grads: pairs.filter(([, y]) => after[y]!.values[0]?.[0] === '.grad').length,
    cut: before.length >= MOST_STEPS || after.length >= MOST_STEPS,
  };
}

/** What was last done in the baseline, by its seq, when the run had come to `seq`; -1 before the first. */
export function counterpart(pairs: Comparison['pairs'], seq: number): number {
  let low = 0;
  let high = pairs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (pairs[middle]![1] <= seq) low = middle + 1;
    else high = middle;
  }
  return pairs[low - 1]?.[0] ?? -1;
}

/**
 * Gives what a node did the code of the op that made it: two ops of one name at one line are distinguished by their places in the
 * forward pass, while the backward pass reaches them in another order.
 */
function* pinBackward(
  [before, after]: readonly [readonly Step[], readonly Step[]],
  [base, here]: readonly [number[], number[]],
  first: number,
): Generator<number, void> {
  const forward = (steps: readonly Step[]) => [...steps.keys()].filter((at) => steps[at]!.made === null);
  const [ahead, behind] = [forward(before), forward(after)];
  const pairs = yield* align(
    ahead.map((at) => base[at]!),
    behind.map((at) => here[at]!),
  );
  const [ofBase, ofHere] = [new Map<number, number>(), new Map<number, number>()];
  for (const [number, [x, y]] of pairs.entries()) {
    ofBase.set(before[ahead[x]!]!.seq, number);
    ofHere.set(after[behind[y]!]!.seq, number);
  }
  const pinned = new Map<string, number>();
  const pin = (steps: readonly Step[], codes: number[], of: ReadonlyMap<number, number>, side: string) => {
    for (const [at, { key, made }] of steps.entries()) {
      if (made === null) continue;
      const text = `${key} ${of.get(made) ?? `${side}${made}`}`;
      const code = pinned.get(text) ?? first + pinned.size;
      pinned.set(text, code);
      codes[at] = code;
    }
  };
  pin(before, base, ofBase, 'b');
  pin(after, here, ofHere, 'h');
}

type Lines = { base: ReadonlyMap<number, number>; here: ReadonlyMap<number, number> };

function sourceOf(events: Events): string[] {
  const first = events.at(0);
  return first?.kind === 'program_started' ? (first.source ?? '').split('\n').map((line) => line.trim()) : [];
}

/** A number for each line that is the same on both sides, edited or not; null where the programs are not of one kin. */
function linesOf(base: readonly string[], here: readonly string[]): Lines | null {
  const texts = new Map<string, number>();
  const coded = (lines: readonly string[]) =>
    lines.map((line) => {
      const id = texts.get(line) ?? texts.size;
      texts.set(line, id);
      return id;
    });
  const pairs = atOnce(align(coded(base), coded(here)));
  if (pairs.length < KIN * Math.max(base.length, here.length)) return null;
  const found = { base: new Map<number, number>(), here: new Map<number, number>() };
  let next = 0;
  let i = 0;
  let j = 0;
  for (const [x, y] of [...pairs, [base.length, here.length] as [number, number]]) {
    // Lines that were edited: the first of them for the first, and so on.
    for (; i < x || j < y; next += 1) {
      if (i < x) found.base.set(++i, next);
      if (j < y) found.here.set(++j, next);
    }
    found.base.set(++i, next);
    found.here.set(++j, next);
    next += 1;
  }
  return found;
}

/** Steps that have no counterpart: one that is in the place of another is another op, the rest is in one run only. */
function gap(base: Step[], here: Step[], lines: Lines | null, into: Difference[]): void {
  const isOp = (step: Step) => step.key.startsWith('op ');
  const place = (step: Step, of: ReadonlyMap<number, number> | undefined) =>
    step.line === null ? null : (of?.get(step.line) ?? null);
  const opsByLine = new Map<number, number[]>();
  for (const [index, other] of here.entries()) {
    const at = isOp(other) ? place(other, lines?.here) : null;
    if (at === null) continue;
    const known = opsByLine.get(at);
    if (known) known.push(index);
    else opsByLine.set(at, [index]);
  }
  for (const known of opsByLine.values()) known.reverse();
  let from = 0;
  for (const one of base) {
    const at = isOp(one) ? place(one, lines?.base) : null;
    const known = (at === null ? null : opsByLine.get(at)) ?? [];
    while (known.length > 0 && known.at(-1)! < from) known.pop();
    const found = known.pop();
    if (found === undefined) {
      into.push(only('gone', one, null));
      continue;
    }
    for (const other of here.slice(from, found)) into.push(only('added', null, other));
    from = found + 1;
    const other = here[found]!;
    into.push({ ...only('op', one, other), texts: [one.label, other.label] });
  }
  for (const other of here.slice(from)) into.push(only('added', null, other));
}

function only(kind: Kind, base: Step | null, here: Step | null): Difference {
  const label = (here ?? base)!.label;
  const target = here?.target ?? null;
  return { kind, label, base, here, texts: null, values: null, target, relative: null, least: false };
}

/** Two steps that belong together: what they say, the shapes, the numbers. */
function hold(base: Step, here: Step, into: Difference[]): void {
  for (const [at, [name, text]] of here.facets.entries()) {
    const before = base.facets[at]?.[1] ?? '';
    if (before !== text) into.push({ ...only(name, base, here), texts: [before, text] });
  }
  for (const [at, [what, name, value, target]] of here.values.entries()) {
    const before = base.values[at]?.[2];
    if (!before) continue;
    const label = what === 'parameter' || (what === 'value' && name) ? name : here.label;
    const found = { ...only(what, base, here), label, values: [before, value] as const, target: target ?? here.target };
    if (typedShape(before) !== typedShape(value))
      into.push({ ...found, kind: 'shape', texts: [typedShape(before), typedShape(value)] });
    else {
      const apart = distance(before, value);
      if (apart.relative > 0) into.push({ ...found, ...apart });
    }
  }
}
