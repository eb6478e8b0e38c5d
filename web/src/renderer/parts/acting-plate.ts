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
  const isNamed = (block: BlockPart): boolean => textsOf(pen, block, plates).length > 0;
  const nameless = blocks.filter((block) => block.current && block.name !== '' && !isNamed(block));
  const others = nameless.length > 0 ? blocks.filter(isNamed) : [];
  const found: Plate[] = [];
  for (const block of nameless) {
    const rect = placesBeside(pen, block).find(
      (place) =>
        contains(seen, place) && ![...plates, ...found, ...others].some((other) => overlaps(other.rect, place)),
    );
    if (rect) found.push({ about: block.area, selected: true, text: block.name, rect });
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
