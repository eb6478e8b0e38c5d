// The name of a box that is too slim for it, beside it: which of many thin ones acts is read, not guessed.

import { contains, overlaps, type Rect, shared } from '../../layout/rect';
import { SMALL } from '../../layout/size';
import type { BlockPart, FramePart } from '../../scene/parts/parts';
import type { Pen } from '../pen';
import { textsOf } from './block';
import { PLATE, type Plate, plateWidth } from './frame';

/** Between a box and its plate, in pixels. */
const GAP = 4;
/** The height of a name that has no rim, as boxes that do not act get it. */
const BARE = 14;
/** Boxes that do not act are named from so many pixels in width and height on, and where there are no more than so many. */
const LEAST = { width: 20, height: 5 };
const MOST = 60;

/**
 * Plates for boxes that have no room for a name: to the right, to the left, above or below, in what is `seen`.  Those of boxes that
 * act cover no other plate and no name; the others no box either, and they stay on the ground of theirs.
 */
export function sidePlates(
  pen: Pen,
  { frames, blocks, plates }: { frames: readonly FramePart[]; blocks: readonly BlockPart[]; plates: readonly Plate[] },
  seen: Rect,
): Plate[] {
  const isNamed = (block: BlockPart): boolean => textsOf(pen, block, plates).length > 0;
  const acting = blocks.filter((block) => block.current && block.name !== '' && !isNamed(block));
  const others = acting.length > 0 ? blocks.filter(isNamed) : [];
  const found: Plate[] = [];
  const add = (block: BlockPart, room: Rect, selected: boolean, taken: readonly { rect: Rect }[]): void => {
    for (const text of new Set([block.name, block.short])) {
      const rect = placesBeside(pen, block, text, selected).find(
        (place) => contains(room, place) && ![...plates, ...found, ...taken].some((one) => overlaps(one.rect, place)),
      );
      if (text === '' || !rect) continue;
      found.push({ about: block.area, selected, bare: !selected, text, rect });
      return;
    }
  };
  for (const block of acting) add(block, seen, true, others);
  const slim = blocks.filter((block) => !block.current && isSlim(pen, block));
  if (slim.length > MOST) return found;
  for (const block of slim) {
    // Outer grounds come first.
    const ground = frames.findLast(({ rect }) => contains(rect, block.rect))?.rect;
    if (!isNamed(block)) add(block, ground ? shared(ground, seen) : seen, false, blocks);
  }
  return found;
}

/** Whether a box can be told apart, and is too slim for a name inside. */
function isSlim({ scale }: Pen, { name, rect }: BlockPart): boolean {
  const [width, height] = [rect.width * scale, rect.height * scale];
  return name !== '' && width >= LEAST.width && height >= LEAST.height && (height < PLATE || width < 2 * LEAST.width);
}

function placesBeside({ scale }: Pen, { rect }: BlockPart, text: string, isPlate: boolean): Rect[] {
  const size = isPlate ? [plateWidth(text), PLATE] : [[...text].length * SMALL * 0.6, BARE];
  const [width, height, gap] = [...size, GAP].map((one) => one / scale) as [number, number, number];
  const [x, y] = [rect.x + (rect.width - width) / 2, rect.y + (rect.height - height) / 2];
  return [
    { x: rect.x + rect.width + gap, y, width, height },
    { x: rect.x - width - gap, y, width, height },
    { x, y: rect.y - height - gap, width, height },
    { x, y: rect.y + rect.height + gap, width, height },
  ];
}
