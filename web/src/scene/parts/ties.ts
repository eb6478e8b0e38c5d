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
/** The height of a title, and a width that each has at least. */
const TITLE = 20;
const SHORT = 150;

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

/** To a chunk beside: level from the op into the gutter before it, up or down there, and level to the title; to one below: around what is between. */
function pointsOf(source: Item, chunk: Chunk, layout: MirrorLayout, high: number): Tie['points'] {
  const { rect } = chunk;
  const x = source.x + source.right + ROOM;
  const y = source.y + source.pillTop + PILL_HEIGHT / 2;
  const own = layout.chunks[source.chunk]!.rect;
  const courses =
    own.y + own.height <= rect.y ? coursesDown([x, y], own, rect, high) : courseBeside([x, y], rect, high);
  return courses.find((points) => isFree(points, source, chunk, layout)) ?? null;
}

type Course = NonNullable<Tie['points']>;

function courseBeside([x, y]: Course[number], rect: Rect, high: number): Course[] {
  const gutter = rect.x - GUTTER;
  if (x > gutter) return [];
  return [
    [
      [x, y],
      [gutter, y],
      [gutter, high],
      [rect.x - ROOM, high],
    ],
  ];
}

/** Down beside the op, or beside the graph that it is in, to the upper rim of the title. */
function coursesDown([x, y]: Course[number], own: Rect, rect: Rect, high: number): Course[] {
  const rim = high - TITLE / 2 - 2;
  return [x + ROOM, Math.max(own.x + own.width, x) + ROOM].map((gutter) => {
    const end = Math.min(Math.max(gutter, rect.x + ROOM), rect.x + SHORT);
    return [
      [x, y],
      [gutter, y],
      [gutter, rim - ROOM],
      [end, rim - ROOM],
      [end, rim],
    ];
  });
}

/** Whether no part of a line leads over an op, or over another chunk than those at its ends. */
function isFree(points: Course, source: Item, { index }: Chunk, { chunks }: MirrorLayout): boolean {
  return points.slice(1).every(([toX, toY], i) => {
    const [x, y] = points[i]!;
    const part = {
      x: Math.min(x, toX),
      y: Math.min(y, toY) - 1,
      width: Math.abs(toX - x) + 1,
      height: Math.abs(toY - y) + 2,
    };
    return chunks.every(
      (other) =>
        other.index === index ||
        !overlaps(other.rect, part) ||
        (other.index === source.chunk && other.items.every((item) => item === source || !overlaps(roomOf(item), part))),
    );
  });
}

function roomOf({ x, y, left, right, height }: Item): Rect {
  return { x: x - left, y, width: left + right, height };
}
