// A draft that is complete: its items get their texts and sizes, and all of it a place around an origin of its own.

import { areaOf } from './area';
import { layChunk } from './chunk';
import type { Draft } from './draft';
import { framesOf } from './frame';
import type { Item } from './graph';
import { Grouping } from './group/group';
import type { Stamps } from './group/stamps';
import { type Breadth, label } from './label';
import { PORTION } from './pace/slices';
import type { Chunk } from './placed';
import type { NamesSoFar } from './program/names-so-far';
import type { Place } from './program/place';

/** What is in a chunk, and how much room it takes. */
export type Laid = Pick<Chunk, 'column' | 'up' | 'items' | 'links' | 'frames' | 'area'> & {
  size: { width: number; height: number };
};

/** Lays out a draft; the work may rest wherever it yields. */
export function* layDraft(draft: Draft, known: NamesSoFar, stamps: Stamps, breadth: Breadth): Generator<void, Laid> {
  const { column, up } = draft;
  const belongs = (item: Item, place: Place) => known.belongs(item, place);
  const grouped = function* (withSides: boolean) {
    const frames = up ? [] : yield* framesOf(draft.items, belongs);
    return yield* Grouping.of(draft.items, frames, withSides);
  };
  yield* draft.shorten(yield* grouped(false));
  yield;
  const links = draft.items.flatMap((item) => item.inputs);
  for (let i = 0; i < draft.items.length; i += 1) {
    const item = draft.items[i]!;
    item.seed = item.kind === 'op' && item.node !== null && item.outputs.every((output) => output.uses === 0);
    label(item, known, breadth);
    if (i % PORTION === 0) yield;
  }
  for (const made of links) {
    made.labelled = made.node !== null && (made.from.kind !== 'op' || made.from.outputs[made.output]!.uses > 1);
  }
  const grouping = yield* grouped(true);
  const size = yield* layChunk(grouping, up, stamps);
  yield;
  const area = yield* areaOf(grouping);
  return { column, up, items: draft.items, links, frames: grouping.frames, area, size };
}
