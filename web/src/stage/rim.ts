// Arrows at the rim of the stage: where that lies which a step or an answer is about and the view does not show.

import { contains, distance, grown, overlaps, type Rect } from '../layout/rect';
import * as say from '../messages/stage';
import type { Located } from '../scene/located';

/** An arrow in CSS pixels from the stage's top left; `angle` is where it points, in degrees clockwise from the right. */
export type RimArrow = { key: string; things: Located[]; text: string; angle: number; rect: Rect };

/** The stage in CSS pixels, what of it is taken, and how its plane lies on it. */
export type RimView = {
  width: number;
  height: number;
  x: number;
  y: number;
  scale: number;
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
/** How far an arrow moves along the rim to be clear of what is there, at most and at once. */
const MOST_SHIFT = 160;
const SHIFT = 14;

/** An arrow for each thing that is not wholly in view; things that lie the same way share one. */
export function rimArrows(things: readonly Located[], view: RimView): RimArrow[] {
  const room = { x: 0, y: 0, width: view.width, height: view.height };
  const arrows: RimArrow[] = [];
  for (const thing of things) {
    const place = onScreen(thing.rect, view);
    const middle = { x: place.x + place.width / 2, y: place.y + place.height / 2 };
    if (contains(room, place)) continue;
    const arrow = arrowTo(thing, middle, view);
    const beside = arrows.find((one) => overlaps(grown(one.rect, SHARED), arrow.rect));
    if (!beside) {
      arrows.push(arrow);
      continue;
    }
    beside.things.push(thing);
    Object.assign(beside, placed(textOf(beside.things), middleOf(beside.rect), view));
  }
  const taken = [...view.taken];
  for (const arrow of arrows) {
    arrow.rect = shifted(arrow.rect, taken, view);
    taken.push(grown(arrow.rect, GAP));
  }
  return arrows;
}

function arrowTo(thing: Located, { x, y }: { x: number; y: number }, view: RimView): RimArrow {
  const [cx, cy] = [view.width / 2, view.height / 2];
  const [dx, dy] = [x - cx, y - cy];
  // Where the line from the middle of the view leaves it.
  const share = Math.min(cx / Math.max(1, Math.abs(dx)), cy / Math.max(1, Math.abs(dy)));
  const angle = (Math.atan2(dy, dx) * 180) / Math.PI;
  const at = { x: cx + dx * share, y: cy + dy * share };
  return { key: JSON.stringify(thing.target), things: [thing], angle, ...placed(textOf([thing]), at, view) };
}

function placed(text: string, at: { x: number; y: number }, view: RimView): { text: string; rect: Rect } {
  const size = { width: Math.ceil([...text].length * CHAR + SIGN), height: ARROW_HEIGHT };
  const rect = { x: at.x - size.width / 2, y: at.y - size.height / 2, ...size };
  return { text, rect: within(rect, view) };
}

function textOf([first, ...others]: readonly Located[]): string {
  const name = first!.name;
  const short = [...name].length > MOST_CHARS ? `${[...name].slice(0, MOST_CHARS - 1).join('')}…` : name;
  return others.length === 0 ? short : say.andOthers(short, others.length);
}

/** The nearest place along its side of the rim that is clear of what is taken, else along all of the rim; the same where there is none. */
function shifted(rect: Rect, taken: readonly Rect[], view: RimView): Rect {
  const isClear = (place: Rect): boolean => !taken.some((other) => overlaps(other, place));
  const isAtSide = rect.x <= INSET || rect.x + rect.width >= view.width - INSET;
  for (let by = 0; by <= MOST_SHIFT; by += SHIFT) {
    for (const sign of by === 0 ? [1] : [1, -1]) {
      const moved = isAtSide ? { ...rect, y: rect.y + sign * by } : { ...rect, x: rect.x + sign * by };
      const found = within(moved, view);
      if (isClear(found)) return found;
    }
  }
  const all = around(rect, view).toSorted((a, b) => distance(a, rect) - distance(b, rect));
  return all.find(isClear) ?? rect;
}

/** Places for a rectangle along all of the rim. */
function around(rect: Rect, view: RimView): Rect[] {
  const places: Rect[] = [];
  const [right, bottom] = [view.width - INSET - rect.width, view.height - INSET - rect.height];
  for (let x = INSET; x <= right; x += SHIFT) places.push({ ...rect, x, y: INSET }, { ...rect, x, y: bottom });
  for (let y = INSET; y <= bottom; y += SHIFT) places.push({ ...rect, x: INSET, y }, { ...rect, x: right, y });
  return places;
}

function within(rect: Rect, { width, height }: RimView): Rect {
  return {
    ...rect,
    x: Math.max(INSET, Math.min(rect.x, width - INSET - rect.width)),
    y: Math.max(INSET, Math.min(rect.y, height - INSET - rect.height)),
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
