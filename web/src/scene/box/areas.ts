// Areas as boxes: those around an item, which are opened in place while it acts, and that of a ground.

import type { Area } from '../../layout/area';
import type { Frame } from '../../layout/frame';
import type { Item } from '../../layout/graph';
import type { MirrorLayout } from '../../layout/mirror';
import { holds } from '../../layout/rect';

/** The least side of a box, in pixels on the screen, in which ops can be seen as dots. */
const LEAST_SIDE = 40;

/** The areas around an item, outermost first. */
export function areasAround(item: Item, layout: MirrorLayout): Area[] {
  const found: Area[] = [];
  const y = item.y + item.height / 2;
  let area: Area | undefined = layout.chunks[item.chunk]?.area;
  while (area) {
    found.push(area);
    area = area.items.includes(item) ? undefined : area.areas.find(({ rect }) => holds(rect, item.x, y));
  }
  return found;
}

/** The innermost area around an item that is opened in place at a scale, else the outermost one. */
export function boxAround(item: Item, layout: MirrorLayout, scale: number): Area | undefined {
  const around = areasAround(item, layout);
  return around.findLast((area) => isRoomy(area, scale)) ?? around[0];
}

/** Whether an area is large enough at a scale to be opened in place. */
export function isRoomy({ rect }: Area, scale: number): boolean {
  return Math.min(rect.width, rect.height) * scale >= LEAST_SIDE;
}

/** The area of a ground in an area; null where it is not in it. */
export function areaOf(area: Area, frame: Frame): Area | null {
  if (area.frame === frame) return area;
  for (const inner of area.areas) {
    const found = areaOf(inner, frame);
    if (found) return found;
  }
  return null;
}
