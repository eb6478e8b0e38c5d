// Arrows at the rim of the stage: where that lies which a step or an answer is about and the view does not show.

import { contains, distance, grown, overlaps, type Rect } from '../../layout/rect';
import * as say from '../../messages/stage';
import type { Located } from '../../scene/located';

/** An arrow in CSS pixels from the stage's top left; `angle` is where it points, in degrees clockwise from the right. */
export type RimArrow = { key: string; things: Located[]; text: string; angle: number; rect: Rect };

/**
 * The view of the stage's plane: its top left `x` and `y`, and its scale. In CSS pixels: `room` is the part of the stage that is seen,
 * except under the `covered` rectangles; arrows keep clear of those and of the `taken` ones.
 */
export type RimView = {
  x: number;
  y: number;
  scale: number;
  room: Rect;
  covered: readonly Rect[];
  taken: readonly Rect[];
};

const ARROW_HEIGHT = 24;
const INSET = 4;
const GAP = 4;
/** Arrows that are as near as this to each other are one. */
const SHARED = 32;
/** The arrow itself, and the room around it and the name. */
const SIGN = 36;
const CHAR = 7.25;
const MOST_CHARS = 16;
/** How long a name is at most: where there is room for it, and where there is less and less. */
const SHORTENED = [MOST_CHARS, 10, 6, 3];
/** How far an arrow moves along the rim to be clear of what is there, at most and at once. */
const MOST_SHIFT = 160;
const SHIFT = 14;

/** An arrow for each thing that is not wholly seen; things that lie the same way share one. */
export function rimArrows(things: readonly Located[], view: RimView): RimArrow[] {
  const arrows: RimArrow[] = [];
  const seen: Rect[] = [];
  for (const thing of things) {
    const place = onScreen(thing.rect, view);
    if (contains(view.room, place) && !view.covered.some((over) => overlaps(over, place))) {
      seen.push(place);
      continue;
    }
    const arrow = arrowTo(thing, middleOf(place), view);
    const beside = arrows.find((one) => overlaps(grown(one.rect, SHARED), arrow.rect));
    if (!beside) {
      arrows.push(arrow);
      continue;
    }
    beside.things.push(thing);
    Object.assign(beside, placed(textOf(beside.things), middleOf(beside.rect), view));
  }
  const taken = [...view.covered, ...view.taken, ...seen];
  for (const arrow of arrows) {
    Object.assign(arrow, fitted(arrow, taken, view));
    taken.push(grown(arrow.rect, GAP));
  }
  return arrows;
}

function arrowTo(thing: Located, { x, y }: { x: number; y: number }, view: RimView): RimArrow {
  const { width, height } = view.room;
  const middle = middleOf(view.room);
  const [dx, dy] = [x - middle.x, y - middle.y];
  // Where the line from the middle of what is seen leaves it.
  const share = Math.min(width / 2 / Math.max(1, Math.abs(dx)), height / 2 / Math.max(1, Math.abs(dy)));
  const angle = (Math.atan2(dy, dx) * 180) / Math.PI;
  const at = { x: middle.x + dx * share, y: middle.y + dy * share };
  return { key: JSON.stringify(thing.target), things: [thing], angle, ...placed(textOf([thing]), at, view) };
}

/** The first place that is clear of what is taken, with the name cut where it has no room as it is; its own where there is none. */
function fitted(arrow: RimArrow, taken: readonly Rect[], view: RimView): { text: string; rect: Rect } {
  for (const chars of SHORTENED) {
    const { text, rect } = placed(textOf(arrow.things, chars), middleOf(arrow.rect), view);
    const clear = shifted(rect, taken, view);
    if (clear) return { text, rect: clear };
  }
  return arrow;
}

function placed(text: string, at: { x: number; y: number }, view: RimView): { text: string; rect: Rect } {
  const size = { width: Math.ceil([...text].length * CHAR + SIGN), height: ARROW_HEIGHT };
  const rect = { x: at.x - size.width / 2, y: at.y - size.height / 2, ...size };
  return { text, rect: within(rect, view) };
}

function textOf([first, ...others]: readonly Located[], most = MOST_CHARS): string {
  const name = first!.name;
  const short = [...name].length > most ? `${[...name].slice(0, most - 1).join('')}…` : name;
  return others.length === 0 ? short : say.andOthers(short, others.length);
}

/** The nearest place along its side of the rim that is clear of what is taken, else along all of the rim; null where there is none. */
function shifted(rect: Rect, taken: readonly Rect[], view: RimView): Rect | null {
  const isClear = (place: Rect): boolean => !taken.some((other) => overlaps(other, place));
  const { room } = view;
  const isAtSide = rect.x <= room.x + INSET || rect.x + rect.width >= room.x + room.width - INSET;
  for (let by = 0; by <= MOST_SHIFT; by += SHIFT) {
    for (const sign of by === 0 ? [1] : [1, -1]) {
      const moved = isAtSide ? { ...rect, y: rect.y + sign * by } : { ...rect, x: rect.x + sign * by };
      const found = within(moved, view);
      if (isClear(found)) return found;
    }
  }
  const all = around(rect, view).toSorted((a, b) => distance(a, rect) - distance(b, rect));
  return all.find(isClear) ?? null;
}

/** Places for a rectangle along all of the rim. */
function around(rect: Rect, { room }: RimView): Rect[] {
  const places: Rect[] = [];
  const [left, top] = [room.x + INSET, room.y + INSET];
  const [right, bottom] = [room.x + room.width - INSET - rect.width, room.y + room.height - INSET - rect.height];
  for (let x = left; x <= right; x += SHIFT) places.push({ ...rect, x, y: top }, { ...rect, x, y: bottom });
  for (let y = top; y <= bottom; y += SHIFT) places.push({ ...rect, x: left, y }, { ...rect, x: right, y });
  return places;
}

function within(rect: Rect, { room }: RimView): Rect {
  return {
    ...rect,
    x: Math.max(room.x + INSET, Math.min(rect.x, room.x + room.width - INSET - rect.width)),
    y: Math.max(room.y + INSET, Math.min(rect.y, room.y + room.height - INSET - rect.height)),
  };
}

/** Where a rectangle of the plane is on the stage. */
export function onScreen({ x, y, width, height }: Rect, view: Pick<RimView, 'x' | 'y' | 'scale'>): Rect {
  const { scale } = view;
  return { x: (x - view.x) * scale, y: (y - view.y) * scale, width: width * scale, height: height * scale };
}

function middleOf({ x, y, width, height }: Rect): { x: number; y: number } {
  return { x: x + width / 2, y: y + height / 2 };
}
