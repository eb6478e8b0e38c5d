// The name of a box that has no room for it, beside it: which of many small ones acts is read, not guessed.

import { contains, overlaps, type Rect, shared } from '../../layout/rect';
import { SMALL } from '../../layout/size';
import type { BlockPart, FramePart } from '../../scene/parts/parts';
import type { Pen } from '../pen';
import { textsOf } from './block';
import { GAP, PLATE, type Plate, plateWidth } from './frame';

/** The height of a name that has no rim, as boxes that do not act get it. */
const BARE = 14;
/** Boxes that do not act are named from so many pixels in width and height on, and where there are no more than so many. */
const LEAST = { width: 20, height: 5 };
const MOST = 60;

/** A box, closed or opened, or a mark on what acts, with its names: the whole one, and what it goes by where there is less room. */
type Named = { about: Plate['about']; rect: Rect; names: readonly string[] };

/** What is there beside plates at boxes; `titles` are those of passes. */
type Ground = {
  frames: readonly FramePart[];
  blocks: readonly BlockPart[];
  plates: readonly Plate[];
  titles: readonly { rect: Rect }[];
  beacon?: Named | null;
};

/**
 * Plates for boxes that have no room for a name: to the right, to the left, above or below, in what is `seen`.  Those of boxes that
 * act, an opened one included, cover no other plate, no title and no text; the others no box either, and they stay on the ground of theirs.
 */
export function sidePlates(pen: Pen, { frames, blocks, plates, titles, beacon = null }: Ground, seen: Rect): Plate[] {
  const isNamed = (block: BlockPart): boolean => textsOf(pen, block, plates).length > 0;
  const textRects = (block: BlockPart): { rect: Rect }[] =>
    textsOf(pen, block, plates).map(({ text, x, y }) => {
      const [width, height] = [([...text].length * SMALL * 0.6) / pen.scale, BARE / pen.scale];
      return { rect: { x: x - width / 2, y: y - height / 2, width, height } };
    });
  const current = blocks.filter((block) => block.current && block.name !== '');
  const opened = current.length === 0 ? openedIn(pen, frames, plates) : null;
  const acting = [
    ...(beacon ? [beacon] : []),
    ...current.filter((block) => !isNamed(block)).map(namedOf),
    ...(opened ? [opened] : []),
  ];
  const named = acting.length > 0 ? blocks.filter(isNamed) : [];
  const found: Plate[] = [];
  const add = (box: Named, room: Rect, selected: boolean, taken: readonly { rect: Rect }[]): boolean => {
    for (const text of new Set(box.names)) {
      const rect = placesBeside(pen, box.rect, text, selected).find(
        (place) =>
          contains(room, place) && ![...plates, ...found, ...titles, ...taken].some((one) => overlaps(one.rect, place)),
      );
      if (text === '' || !rect) continue;
      found.push({ about: box.about, selected, beside: true, bare: !selected, text, rect });
      return true;
    }
    return false;
  };
  // Where nothing is free, on a box that has no name; among boxes that all have names, on a rim of one, beside its texts.
  const tries = [blocks, named, named.flatMap(textRects)];
  for (const box of acting) tries.some((taken) => add(box, seen, true, taken));
  const slim = blocks.filter((block) => !block.current && isSlim(pen, block));
  if (slim.length > MOST) return found;
  /** On each ground the names that one box has beside it: of several that share a name the others are seen to be the same. */
  const told = new Map<Rect | undefined, Set<string>>();
  for (const block of slim) {
    // Outer grounds come first.
    const ground = frames.findLast(({ rect }) => contains(rect, block.rect))?.rect;
    const names = told.get(ground) ?? new Set();
    if (names.has(block.name) || isNamed(block)) continue;
    if (add(namedOf(block), ground ? shared(ground, seen) : seen, false, blocks))
      told.set(ground, names.add(block.name));
  }
  return found;
}

function namedOf({ area, rect, name, short }: BlockPart): Named {
  return { about: area, rect, names: [name, short] };
}

/** The innermost opened box that acts, where neither its ground nor a plate has its name; null where one does. */
function openedIn(pen: Pen, frames: readonly FramePart[], plates: readonly Plate[]): Named | null {
  const part = pen.showsText ? undefined : frames.findLast(({ current }) => current);
  if (!part || plates.some(({ about }) => about === part.frame)) return null;
  return { about: part.frame, rect: part.rect, names: [part.frame.name, part.frame.short] };
}

/** Whether a box can be told apart, and is too slim for a name inside. */
function isSlim({ scale }: Pen, { name, rect }: BlockPart): boolean {
  const [width, height] = [rect.width * scale, rect.height * scale];
  return name !== '' && width >= LEAST.width && height >= LEAST.height && (height < PLATE || width < 2 * LEAST.width);
}

/** Places beside a box: at its middle, then flush with its rims. */
function placesBeside({ scale }: Pen, rect: Rect, text: string, isPlate: boolean): Rect[] {
  const size = isPlate ? [plateWidth(text), PLATE] : [[...text].length * SMALL * 0.6, BARE];
  const [width, height, gap] = [...size, GAP].map((one) => one / scale) as [number, number, number];
  const [x, y] = [rect.x + (rect.width - width) / 2, rect.y + (rect.height - height) / 2];
  const [right, under] = [rect.x + rect.width, rect.y + rect.height];
  const [above, below] = [rect.y - height - gap, under + gap];
  const sides = [y, rect.y, under - height].flatMap((at) => [
    { x: right + gap, y: at },
    { x: rect.x - width - gap, y: at },
  ]);
  const ends = [x, rect.x, right - width].flatMap((at) => [
    { x: at, y: above },
    { x: at, y: below },
  ]);
  return [...sides.slice(0, 2), ...ends, ...sides.slice(2)].map((place) => ({ ...place, width, height }));
}
