// What the reader has folded or opened on the stage; all else is open where there is room to see into it.

import type { Item } from '../../layout/graph';
import type { MirrorLayout } from '../../layout/mirror';
import type { Chunk } from '../../layout/placed';
import { isWithin, type Place, type RoundPlace } from '../../layout/program/place';
import { keyOf, type Target, targetOf } from '../target';

/** Targets by their keys: folded where true, opened where false. */
export type Folds = ReadonlyMap<string, boolean>;

export const NO_FOLDS: Folds = new Map();

/** Whether a target can be folded. */
export function isFoldable(target: Target | null): target is Target {
  return target?.type === 'module' || target?.type === 'function' || target?.type === 'loop';
}

/** What the reader wants of a place; undefined where nothing. */
export function foldOf(place: Place, folds: Folds): boolean | undefined {
  return folds.size === 0 ? undefined : folds.get(keyOf(targetOf(place)));
}

/** The folds after a target was folded or opened; what was said of rounds ends with what is said of their loop. */
export function withFold(folds: Folds, target: Target, folded: boolean): Folds {
  const next = new Map(folds);
  if (target.type === 'loop' && target.round === 0) {
    for (const key of folds.keys()) if (key.startsWith(`loop:${target.loop}/`)) next.delete(key);
  }
  return next.set(keyOf(target), folded);
}

/** Folds as a link carries them: a key for what is folded, one after a minus sign for what was opened. */
export function writeFolds(folds: Folds): string[] {
  return [...folds].map(([key, folded]) => (folded ? key : `-${key}`));
}

/** Reads what `writeFolds` wrote, and leaves out the rest. */
export function readFolds(texts: readonly string[]): Folds {
  const found = texts.flatMap((text) => {
    const match = /^(-?)((?:(?:module|function):\d{1,12})|(?:loop:\d{1,12}\/\d{1,12}))$/.exec(text);
    return match ? [[match[2]!, match[1] === ''] as const] : [];
  });
  return new Map(found);
}

/** Chunks that are side by side because a loop goes round, as a training loop does: which round each is in. */
export function roundsOf(layout: MirrorLayout): ReadonlyMap<Chunk, RoundPlace> {
  const { chunks } = layout;
  const last = chunks.at(-1);
  const before = known.get(layout);
  // Chunks do not change; of all that are there none stays when the last one goes.
  if (before && before.last === last && before.count === chunks.length) return before.rounds;
  const rounds = newRounds(chunks);
  known.set(layout, { last, count: chunks.length, rounds });
  return rounds;
}

const known = new WeakMap<
  MirrorLayout,
  { last: Chunk | undefined; count: number; rounds: ReadonlyMap<Chunk, RoundPlace> }
>();
const outermosts = new WeakMap<Chunk, RoundPlace | null>();

function newRounds(chunks: readonly Chunk[]): Map<Chunk, RoundPlace> {
  const outer = new Map<Chunk, RoundPlace>();
  const columns = new Map<Place, Set<number>>();
  let below: Chunk | null = null;
  for (const chunk of chunks) {
    // What a backward pass records has no place of its own: it is beside the graph that the pass went through.
    if (!chunk.up) below = chunk;
    const round = below?.column === chunk.column ? outermost(below) : null;
    if (!round) continue;
    outer.set(chunk, round);
    const of = columns.get(round.outer) ?? new Set();
    columns.set(round.outer, of.add(chunk.column));
  }
  for (const [chunk, round] of outer) if (columns.get(round.outer)!.size < 2) outer.delete(chunk);
  return outer;
}

/** The outermost round that all ops of a chunk are in. */
function outermost(chunk: Chunk): RoundPlace | null {
  let round = outermosts.get(chunk);
  if (round === undefined) {
    round = findOutermost(chunk);
    outermosts.set(chunk, round);
  }
  return round;
}

function findOutermost(chunk: Chunk): RoundPlace | null {
  const ops = chunk.items.filter(({ kind }) => kind === 'op');
  let found: RoundPlace | null = null;
  for (let place = ops[0]?.place ?? null; place; place = place.outer) if (place.kind === 'round') found = place;
  return found && ops.every((op) => isWithin(op.place, found!)) ? found : null;
}

/** The folds after all was opened that an item lies in. */
export function withOpened(folds: Folds, item: Item, layout: MirrorLayout): Folds {
  const chunk = layout.chunks[item.chunk];
  if (folds.size === 0 || !chunk) return folds;
  const places = new Set<Place>();
  for (const frame of chunk.frames) if (frame.items.includes(item)) places.add(frame.place);
  const round = roundsOf(layout).get(chunk);
  if (round) places.add(round);
  let next = folds;
  for (const place of places) {
    const isFolded = place.kind === 'round' ? isRoundFolded(place, next) : foldOf(place, next);
    if (isFolded) next = withFold(next, targetOf(place), false);
  }
  return next;
}

/** Whether the round of a training loop is folded: by itself, else with its loop. */
export function isRoundFolded(round: RoundPlace, folds: Folds): boolean {
  return foldOf(round, folds) ?? foldOf(round.outer, folds) ?? false;
}
