// How a chunk goes on from an earlier one of its column: no edge leads across the gap between them, but the same tensor is in both.

import type { Link } from '../../layout/graph';
import type { MirrorLayout } from '../../layout/mirror';
import type { Chunk } from '../../layout/placed';
import type { RunState } from '../../timeline/state';

type End = { x: number; y: number; dx: number; dy: number };
/** The place where a value enters a chunk, the place where its gradient goes back, and whether it has gone there. */
export type Inflow = { into: End; back: End; sent: boolean };

/** No chunk changes once it is placed. */
const known = new WeakMap<Chunk, { link: Link; from: Chunk } | null>();

/** The way into a chunk at a moment; null where it begins anew. */
export function inflowOf(chunk: Chunk, layout: MirrorLayout, state: RunState): Inflow | null {
  let found = known.get(chunk);
  if (found === undefined) {
    found = sourceOf(chunk, layout);
    known.set(chunk, found);
  }
  if (!found) return null;
  const { link, from } = found;
  const [over, under] = [from.rect, chunk.rect];
  const sent = link.node === null ? undefined : state.sent(link.node, link.inputNr);
  const first = layout.columns[chunk.column]!.calls.at(state.seq) ?? 0;
  const ends = { sent: sent !== undefined && sent.call >= first };
  if (over.y + over.height <= under.y) {
    const [least, most] = [Math.max(over.x, under.x), Math.min(over.x + over.width, under.x + under.width)];
    const x = (least + most) / 2;
    return { ...ends, into: { x, y: under.y, dx: 0, dy: 1 }, back: { x, y: over.y + over.height, dx: 0, dy: -1 } };
  }
  const y = (Math.max(over.y, under.y) + Math.min(over.y + over.height, under.y + under.height)) / 2;
  return { ...ends, into: { x: under.x, y, dx: 1, dy: 0 }, back: { x: over.x + over.width, y, dx: -1, dy: 0 } };
}

/** The first link that carries into a chunk what an op of an earlier one of its column made, and that chunk. */
function sourceOf({ links, column, index, up }: Chunk, layout: MirrorLayout): { link: Link; from: Chunk } | null {
  if (up) return null;
  for (const link of links) {
    if (link.from.kind !== 'again') continue;
    const home = layout.itemOfTensor(link.from.tensor);
    const from = home?.kind === 'op' ? layout.chunks[home.chunk] : undefined;
    if (from && from.column === column && from.index < index && !from.up) return { link, from };
  }
  return null;
}
