// Which of the boxes of one line a box is: a long statement, as a comprehension, is in several beside each other, and a loop runs
// once in each call of a function.

import type { Area } from '../../layout/area';
import type { Chunk } from '../../layout/placed';
import type { LoopPlace, Place } from '../../layout/program/place';
import { factsOf } from './facts';

export type Share = { nr: number; of: number };

/** The number of an area among those beside it that hold ops of its line and of no other; null for the only one. */
export function shareOf(area: Area, beside: readonly Area[]): Share | null {
  const line = lineOf(area);
  if (line === null) return null;
  const alike = beside.filter((other) => lineOf(other) === line);
  return alike.length > 1 ? { nr: alike.indexOf(area) + 1, of: alike.length } : null;
}

/** The line that all ops of a stretch or a chunk are on; null where there are several, or it is a place of the program. */
function lineOf(area: Area): number | null {
  const lines = area.frame ? null : factsOf(area).lines;
  return lines && lines.first === lines.last ? lines.first : null;
}

/** The runs of loops in a chunk, by the place in which they run; no chunk changes once it is placed. */
const known = new WeakMap<Chunk, ReadonlyMap<Place | null, readonly Area[]>>();

/** The number of a run of a loop among those of the same loop in the same place, in some chunks; null for the only one. */
export function runShareOf(area: Area, chunks: readonly Chunk[]): Share | null {
  const run = area.frame?.place;
  if (run?.kind !== 'loop') return null;
  const alike = chunks
    .flatMap((chunk) => runsIn(chunk).get(around(run)) ?? [])
    .filter(({ frame }) => frame?.place.kind === 'loop' && frame.place.event.text === run.event.text);
  // A long run is in several chunks.
  const runs = [...new Set(alike.map(({ frame }) => frame!.place))];
  return runs.length > 1 ? { nr: runs.indexOf(run) + 1, of: runs.length } : null;
}

function runsIn(chunk: Chunk): ReadonlyMap<Place | null, readonly Area[]> {
  const found = known.get(chunk);
  if (found) return found;
  const runs = new Map<Place | null, Area[]>();
  const add = (area: Area): void => {
    const place = area.frame?.place;
    const beside = place?.kind === 'loop' ? runs.get(around(place)) : undefined;
    if (beside) beside.push(area);
    else if (place?.kind === 'loop') runs.set(around(place), [area]);
    for (const inner of area.areas) add(inner);
  };
  add(chunk.area);
  known.set(chunk, runs);
  return runs;
}

/** The place that a loop runs in, whichever call of a function it is part of: calls in a comprehension are beside each other. */
function around({ outer }: LoopPlace): Place | null {
  let at = outer;
  while (at?.kind === 'function') at = at.outer;
  return at;
}
