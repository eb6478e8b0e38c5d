// The things that a step or an answer is about, for the view and for the arrows at its rim.

import { contains } from '../layout/rect';
import type { StageRenderer } from '../renderer/canvas';
import { type Located, locate, locateItem, locateTrail } from '../scene/located';
import { isIn } from '../scene/parts/extent';
import type { Trail } from '../scene/parts/parts';
import { numberOf, shapesOf } from '../scene/parts/shape';
import type { Scene } from '../scene/scene';
import { keyOf, type Target } from '../scene/target';
import { onScreen, type RimArrow, rimArrows } from './view/rim';

/** Of more things than these, the first are pointed to. */
const MOST_POINTED = 400;

/** What the answer that is shown is about; else the way of an element, with what was asked about first. */
export function evidenceIn(scene: Scene, asked: Target | null, trail: Trail | null): Located[] {
  if (scene.options.lit) return scene.lit.flatMap((item) => locateItem(item, scene) ?? []);
  if (!trail) return [];
  const first = asked && locate(asked, scene);
  return [...(first ? [first] : []), ...locateTrail(trail, scene)];
}

/**
 * Arrows to what of the evidence the view does not show; without evidence, of what acts in the step and what it records, and to
 * what it sends gradients to where nothing of that is seen.  Of an edge that is `chosen`, to the end that is not seen beside
 * the other.
 */
export function pointedIn(
  scene: Scene,
  evidence: readonly Located[],
  chosen: Located | null,
  renderer: StageRenderer,
): RimArrow[] {
  const acting = scene.acting.slice(0, MOST_POINTED);
  const { camera } = renderer;
  const { aim, goal } = camera;
  const beyond = scene.receiving.filter((item) => !isIn(item, aim));
  const about = [...new Set([...acting, ...scene.recorded, ...beyond])];
  const acted = about.length < 2 ? [] : about.flatMap((item) => locateItem(item, scene) ?? []);
  const ends = chosen?.ends?.some(({ rect }) => contains(aim, rect)) ? chosen.ends : [];
  const all = [...(evidence.length > 0 ? evidence : acted), ...ends];
  const things = [...new Map(all.map((thing) => [keyOf(thing.target), thing])).values()];
  if (things.length === 0) return [];
  const view = { x: aim.x, y: aim.y, scale: goal };
  const shapes = [...acting.flatMap((item) => shapesOf(scene.part(item))), ...scene.notes];
  const numbers = [...scene.effects.sending]
    .slice(0, MOST_POINTED)
    .map((id) => numberOf(scene.edge(scene.layout.links[id]!)));
  const own = [...shapes.map(({ rect }) => rect), ...numbers].filter((rect) => rect !== null);
  const covered = renderer.covered();
  const taken = own.map((rect) => onScreen(rect, view));
  return rimArrows(things.slice(0, MOST_POINTED), { ...view, room: camera.free(covered), covered, taken });
}
