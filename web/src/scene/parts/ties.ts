// Ties: the line from what a backward pass with create_graph differentiates to the graph that it recorded.

import type { Item } from '../../layout/graph';
import type { MirrorLayout } from '../../layout/mirror';
import type { Chunk } from '../../layout/placed';
import { overlaps, type Rect } from '../../layout/rect';
import { PILL_HEIGHT } from '../../layout/size';
import type { History } from '../../timeline/history';

/** The room that the line keeps from the op, from the chunk and from the title at its end. */
const ROOM = 8;
const GUTTER = 32;

/** The op whose gradient a pass took while it recorded a chunk, and the line from there; none where it would lead over other ops. */
export type Tie = { source: Item; points: readonly (readonly [number, number])[] | null };

const ties = new WeakMap<Chunk, Tie | null>();

/** Return the tie of a recorded chunk, whose title is at a height, to the root of its pass; null where that is not placed. */
export function tieOf(chunk: Chunk, layout: MirrorLayout, history: History, high: number): Tie | null {
  const known = ties.get(chunk);
  if (known !== undefined) return known;
  const pass = history.calls.findLast(({ event, finished }) => event.seq <= chunk.first && finished > chunk.first);
  const root = pass?.event.root_nodes[0];
  const source = root === undefined ? null : layout.itemOfNode(root);
  const made = source ? { source, points: pointsOf(source, chunk, layout, high) } : null;
  ties.set(chunk, made);
  return made;
}

/** Level from the op into the gutter before the chunk, up or down there, and level to the title. */
function pointsOf(source: Item, chunk: Chunk, layout: MirrorLayout, high: number): Tie['points'] {
  const x = source.x + source.right + ROOM;
  const y = source.y + source.pillTop + PILL_HEIGHT / 2;
  const gutter = chunk.rect.x - GUTTER;
  if (x > gutter) return null;
  const level = { x, y: y - 1, width: gutter - x, height: 2 };
  for (const other of layout.chunks) {
    if (other === chunk || !overlaps(other.rect, level)) continue;
    if (other.index !== source.chunk || other.items.some((item) => item !== source && overlaps(roomOf(item), level))) {
      return null;
    }
  }
  return [
    [x, y],
    [gutter, y],
    [gutter, high],
    [chunk.rect.x - ROOM, high],
  ];
}

function roomOf({ x, y, left, right, height }: Item): Rect {
  return { x: x - left, y, width: left + right, height };
}
