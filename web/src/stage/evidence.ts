// The things that a step or an answer is about, for the view and for the arrows at its rim.

import type { StageRenderer } from '../renderer/canvas';
import { type Located, locate, locateItem, locateTrail } from '../scene/located';
import type { Trail } from '../scene/parts';
import type { Scene } from '../scene/scene';
import { shapesOf } from '../scene/shape';
import type { Target } from '../scene/target';
import { onScreen, type RimArrow, rimArrows } from './rim';

/** Of more things than these, the first are pointed to. */
const MOST_POINTED = 400;

/** What the answer that is shown is about; else the way of an element, with what was asked about first. */
export function evidenceIn(scene: Scene, asked: Target | null, trail: Trail | null): Located[] {
  if (scene.options.lit) return scene.lit.flatMap((item) => locateItem(item, scene) ?? []);
  if (!trail) return [];
  const first = asked && locate(asked, scene);
  return [...(first ? [first] : []), ...locateTrail(trail, scene)];
}

/** Arrows to what of the evidence the view does not show; without evidence, of what acts in the step and what it records. */
export function pointedIn(scene: Scene, evidence: readonly Located[], renderer: StageRenderer): RimArrow[] {
  const acting = scene.acting.slice(0, MOST_POINTED);
  const own = [...acting, ...scene.recorded];
  const things =
    evidence.length > 0 || own.length < 2 ? evidence : own.flatMap((item) => locateItem(item, scene) ?? []);
  if (things.length === 0) return [];
  const { width, height, aim, goal } = renderer.camera;
  const view = { x: aim.x, y: aim.y, scale: goal };
  const shapes = [...acting.flatMap((item) => shapesOf(scene.part(item))), ...scene.notes];
  const taken = [...renderer.covered(), ...shapes.map(({ rect }) => onScreen(rect, view))];
  return rimArrows(things.slice(0, MOST_POINTED), { ...view, width, height, taken });
}
