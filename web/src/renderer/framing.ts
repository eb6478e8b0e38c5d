// Frames for the view: around what a step or an answer is about, clear of what lies over the stage.

import { contains, distance, grown, overlaps, type Rect, union } from '../layout/rect';
import type { Room } from '../scene/notes/note-place';
import type { NotePart } from '../scene/parts/parts';
import { numberOf, shapesOf, wholeOf } from '../scene/parts/shape';
import type { Scene } from '../scene/scene';
import { titlesOf } from '../scene/titles';
import { type Camera, NEAREST, type View } from './camera';
import { showsText } from './pen';

/** Of more things than these, the first are framed. */
const MOST_THINGS = 60;
const ROUNDING = 0.01;

/** A ground is shown as a box, smaller and smaller, as long as its lesser side has so many pixels. */
const LEAST_GROUND = 40;
const SMALLER = 0.9;

/**
 * A rectangle to be seen; of an edge, the `ends` that are shown where the view has no room for all of it.  `isGround`: it holds
 * other things, so that all of it is shown as a box where it is too large to be read.
 */
export type Wanted = Rect & { ends?: readonly Rect[] | undefined; isGround?: boolean | undefined };

/** A view and the rectangle that it was chosen for; `core` is what of it has to be seen, `sent` that with the gradients sent. */
export type Framed = { view: View; rect: Rect; core: Rect; sent?: Rect };

/**
 * The view for a step: what acts with its texts, what it sends and all that is said of it where there is room; else less of
 * that, at least the first thing that acts.  Null where nothing acts.
 */
export function frameStep(camera: Camera, scene: Scene, covered: readonly Rect[]): Framed | null {
  const things = scene.acting.slice(0, MOST_THINGS).map((item) => wholeOf(shapesOf(scene.part(item))));
  const acting = joined(things);
  if (!acting) return null;
  const { reach, remarkReach } = scene;
  const sent = joined([acting, ...numbersOf(scene)]);
  const wanted = [
    joined([passOpenedOn(camera, scene), sent, reach, remarkReach]),
    joined([sent, reach, remarkReach]),
    joined([sent, remarkReach]),
    sent,
    acting,
  ].filter((rect) => rect !== null);
  const { goal } = camera;
  const { read } = camera.readable;
  const { zooms } = camera;
  const scale = zooms ? Math.max(goal, read) : goal;
  for (const rect of wanted) {
    const view = camera.clear(rect, scale, covered);
    if (view) return { view, rect, core: acting, sent: rect === acting ? acting : sent! };
  }
  const smaller = zooms && scale > read ? camera.clear(acting, read, covered) : null;
  if (smaller) return { view: smaller, rect: acting, core: acting };
  // Beside what acts as much of what it records as fits.
  const made = scene.recorded.map((item) => wholeOf(shapesOf(scene.part(item))));
  return frameThings(camera, [...things, ...made], covered, zooms);
}

/**
 * The view for a step with its notes, which are placed: with the first of `places` that has room beside all of them, in the
 * present view or in one that has moved for them; else with as many as can be seen, the first ones, a sum cut to its first
 * lines where that is, beside the last of `places`.  Notes on what is too far from a place are no part of that.  Null where not even the first note has room.
 */
export function frameNotes(
  camera: Camera,
  scene: Scene,
  places: readonly Rect[],
  covered: readonly Rect[],
  room: Room,
): { view: View; isWhole: boolean } | null {
  const { goal, aside } = camera;
  const wide = room.rect;
  const sizes = aside > 0 ? [wide, { ...wide, width: wide.width - aside / goal }] : [wide];
  const isNear = (place: Rect, { about }: { about: Rect }): boolean => fits(union(place, about), wide);
  const fitted = (place: Rect, notes: readonly NotePart[]): View | null =>
    camera.clear(
      notes.reduce((all, { rect }) => union(all, rect), place),
      goal,
      covered,
    );
  const present = scene.placeNotes({ ...room, cuts: false });
  for (const place of places) {
    const count = scene.remarks.filter((remark) => isNear(place, remark)).length;
    const whole = (notes: readonly NotePart[]): View | null => {
      const near = notes.filter((note) => isNear(place, note));
      return near.length === count ? fitted(place, near) : null;
    };
    const view = whole(present);
    if (view) {
      scene.takeNotes(present);
      return { view, isWhole: true };
    }
    for (const rect of sizes.filter((size) => fits(place, size))) {
      const moved = whole(scene.placeNotes({ rect, covered: [], core: place }));
      if (moved) return { view: moved, isWhole: true };
    }
  }
  const core = places.at(-1)!;
  const some = [
    scene.placeNotes({ rect: sizes.at(-1)!, covered: [], core, cuts: true }),
    scene.placeNotes({ ...room, cuts: true }),
  ].map((notes) => notes.filter((note) => isNear(core, note)));
  for (let most = Math.max(...some.map(({ length }) => length)); most > 0; most -= 1) {
    for (const near of some) {
      const shown = near.slice(0, most);
      const view = shown.length === most ? fitted(core, shown) : null;
      if (!view) continue;
      scene.takeNotes(shown);
      return { view, isWhole: false };
    }
  }
  return null;
}

function fits({ width, height }: Rect, size: Rect): boolean {
  return width <= size.width && height <= size.height;
}

/**
 * The view for some things: all of them where they fit at a scale that can be read, else the first with as many others as
 * fit, nearest first.  A scale that the reader chose stays.  Null where there is nothing to move to.
 */
export function frameThings(
  camera: Camera,
  things: readonly Wanted[],
  covered: readonly Rect[],
  zooms = !camera.held,
): Framed | null {
  const [first] = things;
  const all = joined(things);
  if (!first || !all) return null;
  const { goal, readable } = camera;
  const scale = zooms ? Math.max(goal, readable.read) : goal;
  const natural = Math.min(scale, camera.natural(all));
  const scales = zooms ? [scale, Math.max(natural, readable.read), readable.read] : [scale];
  for (const one of scales) {
    const whole = found(camera, all, one, covered);
    if (whole) return whole;
  }
  const least = scales.at(-1)!;
  let best = found(camera, first, least, covered);
  if (best) {
    for (const rect of things.toSorted((a, b) => distance(a, first) - distance(b, first))) {
      best = found(camera, union(best.rect, rect), least, covered) ?? best;
    }
    return best;
  }
  if (first.isGround) {
    // The upper left of a ground may be blank, and nearer there is more to see of one that is in view.
    const boxed = zooms ? asBox(camera, first, least, covered) : null;
    if (boxed || (!zooms && overlaps(first, camera.aim))) return boxed;
  }
  // Smaller texts are better than a part.
  const small = zooms ? Math.min(least, Math.max(readable.cut, camera.natural(first))) : least;
  const whole = found(camera, first, small, covered);
  if (whole || !first.ends) return whole ?? { view: camera.middle(first, small), rect: first, core: first };
  return frameThings(camera, [...first.ends, ...things.slice(1)], covered, zooms);
}

/** The view of all of a ground, no larger than at a scale, with texts that can be read or as boxes; null where that would be a line. */
function asBox(camera: Camera, ground: Rect, most: number, covered: readonly Rect[]): Framed | null {
  const least = LEAST_GROUND / Math.min(ground.width, ground.height);
  for (let scale = Math.min(most, camera.natural(ground)); scale >= least; scale *= SMALLER) {
    const framed = showsText(scale) && scale < camera.readable.read ? null : found(camera, ground, scale, covered);
    if (framed) return framed;
  }
  return null;
}

/**
 * The view moved so that no text of a thing whose body it shows is cut off or touches its rim, as far as that takes no such room from
 * what has it and covers nothing; null where nothing is to be moved.
 */
export function uncut(camera: Camera, scene: Scene, covered: readonly Rect[]): View | null {
  const { aim, goal } = camera;
  const inset = NEAREST / goal;
  const { cards, pills, edges } = scene.visible(aim, goal);
  const titles = titlesOf(scene).map(({ rect }) => rect);
  const texts = [...edges.map(numberOf), ...titles].filter((rect) => rect !== null);
  const wholes = [...cards, ...pills].filter(({ rect }) => contains(aim, rect)).map((part) => wholeOf(shapesOf(part)));
  const whole = [...wholes, ...texts, ...scene.notes.map(({ rect }) => rect)].filter((rect) => contains(aim, rect));
  const clear = whole.filter((rect) => !isUnder(rect, aim, goal, covered));
  const kept = whole.map((rect) => (contains(aim, grown(rect, inset)) ? grown(rect, inset) : rect));
  let room = aim;
  for (const rect of [...wholes, ...texts.filter((text) => overlaps(text, aim))]) {
    const wanted = grown(rect, inset - ROUNDING);
    if (contains(room, wanted)) continue;
    const moved = {
      ...room,
      x: room.x + outside(rect.x - inset, rect.width + 2 * inset, room.x, room.width),
      y: room.y + outside(rect.y - inset, rect.height + 2 * inset, room.y, room.height),
    };
    const isKept = [...kept, wanted].every((one) => contains(moved, grown(one, -ROUNDING)));
    if (!isKept || clear.some((one) => isUnder(one, moved, goal, covered))) continue;
    kept.push(wanted);
    room = moved;
  }
  return room === aim ? null : { x: room.x, y: room.y, scale: goal };
}

/** Whether something lies over a rectangle as a part of the stage is seen. */
function isUnder(rect: Rect, room: Rect, scale: number, covered: readonly Rect[]): boolean {
  const [x, y] = [(rect.x - room.x) * scale, (rect.y - room.y) * scale];
  return covered.some((over) => overlaps(over, { x, y, width: rect.width * scale, height: rect.height * scale }));
}

/** How far a stretch reaches out of a room: below 0 before it, else behind it. */
function outside(start: number, length: number, from: number, room: number): number {
  return start < from ? start - from : Math.max(0, start + length - from - room);
}

/** Things of a pass whose own rims are looked at where a run opens on it. */
const MOST_OPENED = 1500;

/**
 * What is there of the pass that a run opens on, and stays in view beside what is said of its step.  Null where it is by far too
 * large, or the run is not about to open.
 */
function passOpenedOn({ opening, goal, width, height }: Camera, scene: Scene): Rect | null {
  const { frame } = scene;
  if (!opening || !fits(frame, { ...frame, width: (2 * width) / goal, height: (2 * height) / goal })) return null;
  // Of very many things none is large in view: the rim of each, for which it must be made, is within a pixel of that of all.
  let items = 0;
  for (const chunk of scene.chunks(frame)) items += chunk.items.length;
  if (items > MOST_OPENED) return frame;
  const { cards, pills } = scene.visible(frame);
  return joined([...cards, ...pills].map((part) => wholeOf(shapesOf(part))));
}

/** The numbers of the gradients that travel in a step. */
function numbersOf(scene: Scene): Rect[] {
  const numbers: Rect[] = [];
  for (const id of scene.effects.sending) {
    const number = numberOf(scene.edge(scene.layout.links[id]!));
    if (number) numbers.push(number);
    if (numbers.length >= MOST_THINGS) break;
  }
  return numbers;
}

function found(camera: Camera, rect: Rect, scale: number, covered: readonly Rect[]): Framed | null {
  const view = camera.clear(rect, scale, covered);
  return view && { view, rect, core: rect };
}

function joined(rects: readonly (Rect | null)[]): Rect | null {
  return rects.reduce((all, rect) => (rect ? union(all, rect) : all), null);
}
