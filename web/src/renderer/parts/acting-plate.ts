// The name of a box that acts and is too slim for it, as a plate beside it: which of many thin ones acts is read, not guessed.

import { overlaps, type Rect } from '../../layout/rect';
import type { BlockPart } from '../../scene/parts/parts';
import type { Pen } from '../pen';
import { textsOf } from './block';
import { PLATE, type Plate, plateWidth } from './frame';

/** Between a box and its plate, in pixels. */
const GAP = 4;

/** Plates for the boxes that act and have no room for a name: to the right, to the left, above or below, in what is `seen`, over no other plate. */
export function actingPlates(pen: Pen, blocks: readonly BlockPart[], plates: readonly Plate[], seen: Rect): Plate[] {
  const found: Plate[] = [];
  for (const block of blocks) {
    const { current, name, area } = block;
    if (!current || name === '' || textsOf(pen, block, plates).length > 0) continue;
    const places = placesBeside(pen, block).filter((place) => isIn(place, seen));
    const taken = [...plates, ...found].map(({ rect }) => rect);
    const isFree = (rect: Rect, others: readonly Rect[]) => others.every((other) => !overlaps(rect, other));
    const named = blocks.filter((other) => textsOf(pen, other, plates).length > 0).map(({ rect }) => rect);
    const rect = places.find((one) => isFree(one, [...taken, ...named])) ?? places.find((one) => isFree(one, taken));
    if (rect) found.push({ about: area, selected: true, text: name, rect });
  }
  return found;
}

function isIn({ x, y, width, height }: Rect, seen: Rect): boolean {
  return x >= seen.x && y >= seen.y && x + width <= seen.x + seen.width && y + height <= seen.y + seen.height;
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
