// Frames for the view: around what a step or an answer is about, clear of what lies over the stage.

import { distance, type Rect, union } from '../layout/rect';
import type { Scene } from '../scene/scene';
import { numberOf, shapesOf, wholeOf } from '../scene/shape';
import type { Camera, View } from './camera';

/** Of more things than these, the first are framed. */
const MOST_THINGS = 60;

/** A view and the rectangle that it was chosen for; `core` is what of it has to be seen. */
export type Framed = { view: View; rect: Rect; core: Rect };

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
  const wanted = [joined([sent, reach, remarkReach]), joined([sent, remarkReach]), sent, acting].filter(
    (rect) => rect !== null,
  );
  const { goal } = camera;
  const { read } = camera.readable;
  const { zooms } = camera;
  const scale = zooms ? Math.max(goal, read) : goal;
  for (const rect of wanted) {
    const view = camera.clear(rect, scale, covered);
    if (view) return { view, rect, core: acting };
  }
  const smaller = zooms && scale > read ? camera.clear(acting, read, covered) : null;
  if (smaller) return { view: smaller, rect: acting, core: acting };
  // Beside what acts as much of what it records as fits.
  const made = scene.recorded.map((item) => wholeOf(shapesOf(scene.part(item))));
  return frameThings(camera, [...things, ...made], covered, zooms);
}

/**
 * The view for some things: all of them where they fit at a scale that can be read, else the first with as many others as
 * fit, nearest first.  A scale that the reader chose stays.
 */
export function frameThings(
  camera: Camera,
  things: readonly Rect[],
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
  // Smaller texts are better than a part.
  const small = zooms ? Math.min(least, Math.max(readable.cut, camera.natural(first))) : least;
  return found(camera, first, small, covered) ?? { view: camera.middle(first, small), rect: first, core: first };
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
