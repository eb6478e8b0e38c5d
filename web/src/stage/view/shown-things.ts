// What of the stage can be read in its view, and what else lies over it.

import { overlaps, type Rect } from '../../layout/rect';
import type { StageRenderer } from '../../renderer/canvas';
import { showsText } from '../../renderer/pen';
import { boxAround } from '../../scene/box/areas';
import { numberOf, shapesOf } from '../../scene/parts/shape';
import type { Scene } from '../../scene/scene';
import { titlesOf } from '../../scene/titles';
import { onScreen } from './rim';

/**
 * Things with their texts, numbers at edges, notes and titles in view, and what lies over the stage beside the element `own`, in CSS pixels;
 * of a view in which no text can be read, what lies over it and the box that acts.
 */
export function shownThings(scene: Scene, renderer: StageRenderer, own: Element): Rect[] {
  const { camera, canvas } = renderer;
  const { left, top } = canvas.getBoundingClientRect();
  const { x, y, width, height } = own.getBoundingClientRect();
  const self = { x: x - left, y: y - top, width, height };
  const over = renderer.covered().filter((rect) => !overlaps(rect, self));
  const view = { x: camera.aim.x, y: camera.aim.y, scale: camera.goal };
  if (!showsText(camera.goal)) {
    const [actor] = scene.acting;
    const box = actor && boxAround(actor, scene.layout, camera.goal);
    return box ? [...over, onScreen(box.rect, view)] : over;
  }
  const { cards, pills, edges } = scene.visible(camera.aim, camera.goal);
  const shapes = [...cards, ...pills].flatMap((part) => shapesOf(part).map(({ rect }) => rect));
  const numbers = edges.map(numberOf).filter((rect) => rect !== null);
  const notes = [...scene.notes, ...titlesOf(scene)].map(({ rect }) => rect);
  return [...over, ...[...shapes, ...numbers, ...notes].map((rect) => onScreen(rect, view))];
}
