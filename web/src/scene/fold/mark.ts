// The mark on a folded place: an error in it, or a NaN that one of its ops made, one of its nodes sent or its parameters got.

import type { Area } from '../../layout/area';
import type { MirrorLayout } from '../../layout/mirror';
import type { Chunk } from '../../layout/placed';
import { isWithin } from '../../layout/program/place';
import type { History } from '../../timeline/history';
import type { RunState } from '../../timeline/state';
import type { Heat } from './heat';

export type Mark = 'error' | 'nan';

/** The event from which on an area holds a NaN that an op made; no area changes once it is placed. */
const spoilt = new WeakMap<Area, number>();

/** The event with which a node of an area first sent a NaN, found when so many nodes had sent one. */
const sent = new WeakMap<Area, { since: number; count: number }>();

/** The mark of an area of a chunk at a moment; null where all of it is sound. */
export function markIn(
  area: Area,
  chunk: Chunk,
  heat: Heat | null,
  state: RunState,
  layout: MirrorLayout,
): Mark | null {
  const { error } = state;
  const failed = error?.node == null ? null : layout.itemOfNode(error.node);
  if (failed && layout.chunks[failed.chunk] === chunk) {
    const { frame } = area;
    if (frame ? isWithin(failed.place, frame.place) : area.items.includes(failed)) return 'error';
  }
  const isSpoilt = (heat && !Number.isFinite(heat.norm)) || spoiltSince(area) <= state.seq;
  return isSpoilt || sentSince(area, state.history.nanSent) <= state.seq ? 'nan' : null;
}

/** The event with which a node in an area first sent a NaN. */
function sentSince(area: Area, nanSent: History['nanSent']): number {
  const known = sent.get(area);
  // Nodes that send one later do so after those that are known.
  if (known && (known.count === nanSent.size || Number.isFinite(known.since))) return known.since;
  let since = Number.POSITIVE_INFINITY;
  for (const { node } of area.items) {
    if (node !== null) since = Math.min(since, nanSent.get(node) ?? Number.POSITIVE_INFINITY);
  }
  for (const inner of area.areas) since = Math.min(since, sentSince(inner, nanSent));
  sent.set(area, { since, count: nanSent.size });
  return since;
}

function spoiltSince(area: Area): number {
  let since = spoilt.get(area);
  if (since === undefined) {
    since = Number.POSITIVE_INFINITY;
    for (const { event, seq } of area.items) {
      if (event?.outputs.some(({ value }) => value.nan_count > 0)) since = Math.min(since, seq);
    }
    for (const inner of area.areas) since = Math.min(since, spoiltSince(inner));
    spoilt.set(area, since);
  }
  return since;
}
