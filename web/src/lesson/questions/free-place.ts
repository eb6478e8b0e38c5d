// Where an element over the stage is placed so that it stays in view and covers nothing of the graph.

import { overlaps, type Rect } from '../../layout/rect';

type Size = Pick<Rect, 'width' | 'height'>;

/** Between the element and what it is beside, and from the rim of the stage, in CSS pixels. */
const GAP = 6;

/** Moves a rectangle sideways into a room, as long as what it belongs to is in view. */
export function within(rect: Rect, at: Rect, room: Rect): Rect {
  if (!overlaps(at, room)) return rect;
  const most = room.x + room.width - rect.width - GAP;
  return { ...rect, x: Math.max(room.x + GAP, Math.min(rect.x, most)) };
}

/** Places something of a size at the first side of a rectangle at which it covers no obstacle and is in the room; else where it covers fewest. */
export function freePlace(at: Rect, { width, height }: Size, obstacles: readonly Rect[], room: Rect): Rect {
  const [middleX, middleY] = [at.x + (at.width - width) / 2, at.y + (at.height - height) / 2];
  const sides = [
    { x: at.x + at.width + GAP, y: middleY },
    { x: at.x - width - GAP, y: middleY },
    { x: middleX, y: at.y + at.height + GAP },
    { x: middleX, y: at.y - height - GAP },
  ].map((corner) => ({ ...corner, width, height }));
  const isInside = ({ x, y }: Rect) =>
    x >= room.x && y >= room.y && x + width <= room.x + room.width && y + height <= room.y + room.height;
  const cost = (rect: Rect) =>
    obstacles.filter((one) => overlaps(one, rect)).length + (isInside(rect) ? 0 : obstacles.length + 1);
  const costs = sides.map(cost);
  return within(sides[costs.indexOf(Math.min(...costs))]!, at, room);
}
