// The room that an item takes on the stage.

import type { Item } from '../../layout/graph';
import type { Rect } from '../../layout/rect';

/** All the room that an item has. */
export function extentOf(item: Item): Rect {
  return { x: item.x - item.left, y: item.y, width: item.left + item.right, height: item.height };
}

/** The room of an item without what is at its side. */
export function bodyOf({ x, y, pillLeft, pillRight, height }: Item): Rect {
  return { x: x - pillLeft, y, width: pillLeft + pillRight, height };
}

/** Whether the room of an item reaches into a rectangle. */
export function isIn(item: Item, { x, y, width, height }: Rect): boolean {
  const reachesAcross = item.x - item.left < x + width && item.x + item.right > x;
  return reachesAcross && item.y < y + height && item.y + item.height > y;
}
