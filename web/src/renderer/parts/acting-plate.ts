// The name of a box that acts and is too slim for it, as a plate beside it: which of many thin ones acts is read, not guessed.

import { contains, overlaps, type Rect } from '../../layout/rect';
import type { BlockPart } from '../../scene/parts/parts';
import type { Pen } from '../pen';
import { textsOf } from './block';
import { PLATE, type Plate, plateWidth } from './frame';

/** Between a box and its plate, in pixels. */
const GAP = 4;

/** Plates for the boxes that act and have no room for a name: to the right, to the left, above or below, in what is `seen`, over no other plate or name. */
export function actingPlates(pen: Pen, blocks: readonly BlockPart[], plates: readonly Plate[], seen: Rect): Plate[] {
  const found: Plate[] = [];
  for (const block of blocks) {
    const { current, name, area } = block;
    if (!current || name === '' || textsOf(pen, block, plates).length > 0) continue;
    const others = blocks.filter((other) => textsOf(pen, other, plates).length > 0);
    const rect = placesBeside(pen, block).find(
      (place) =>
        contains(seen, place) && ![...plates, ...found, ...others].some((other) => overlaps(other.rect, place)),
    );
    if (rect) found.push({ about: area, selected: true, text: name, rect });
  }
  return found;
}

function placesBeside({ scale }: Pen, { rect, name }: BlockPart): Rect[] {
  const [width, height, gap] = [plateWidth(name), PLATE, GAP].map((size) => size / scale) as [number, number, number];
  const [x, y] = [rect.x + (rect.width - width) / 2, rect.y + (rect.height - height) / 2];
  return [
    { x: rect.x + rect.width + gap, y, width, height },
    { x: rect.x - width - gap, y, width, height },
    { x, y: rect.y - height - gap, width, height },
    { x, y: rect.y + rect.height + gap, width, height },
  ];
}
