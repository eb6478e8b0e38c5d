// The mark on a folded place: an error in it, or a NaN that one of its ops made, one of its nodes sent or its parameters got.

import type { Area } from '../layout/area';
import type { MirrorLayout } from '../layout/mirror';
import type { Chunk } from '../layout/placed';
import { isWithin } from '../layout/program/place';
import type { RunState } from '../timeline/state';
import { areasAround } from './box/areas';
import type { Heat } from './heat';

export type Mark = 'error' | 'nan';

/** The event from which on an area holds a NaN that an op made; no area changes once it is placed. */
const spoilt = new WeakMap<Area, number>();

/** What is known of the NaNs that nodes sent: how many of them were read, the nodes without a place so far, and since when areas hold one. */
type Sent = { read: number; waiting: [node: number, seq: number][]; since: WeakMap<Area, number> };
const sent = new WeakMap<MirrorLayout, Sent>();

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
  return isSpoilt || sentSince(area, state, layout) <= state.seq ? 'nan' : null;
}

/** The event with which a node in an area first sent a NaN. */
function sentSince(area: Area, { history: { nanSent } }: RunState, layout: MirrorLayout): number {
  if (nanSent.size === 0) return Number.POSITIVE_INFINITY;
  let known = sent.get(layout);
  if (!known) {
    known = { read: 0, waiting: [], since: new WeakMap() };
    sent.set(layout, known);
  }
  const { since } = known;
  if (known.read < nanSent.size || known.waiting.length > 0) {
    const fresh = [...known.waiting, ...[...nanSent].slice(known.read)];
    known.read = nanSent.size;
    known.waiting = fresh.filter(([node, seq]) => {
      const item = layout.itemOfNode(node);
      for (const around of item ? areasAround(item, layout) : [])
        since.set(around, Math.min(seq, since.get(around) ?? Number.POSITIVE_INFINITY));
      return item === null;
    });
  }
  return since.get(area) ?? Number.POSITIVE_INFINITY;
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
