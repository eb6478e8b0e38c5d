// What of the stage can be read in its view, and what else lies over it.

import { overlaps, type Rect } from '../../layout/rect';
import type { StageRenderer } from '../../renderer/canvas';
import { showsText } from '../../renderer/pen';
import { numberOf, shapesOf } from '../../scene/parts/shape';
import type { Scene } from '../../scene/scene';
import { titlesOf } from '../../scene/titles';
import { onScreen } from './rim';

/**
 * Things with their texts, numbers at edges, notes and titles in view, and what lies over the stage beside the element `own`, in CSS pixels;
 * of a view in which no text can be read, what lies over it alone.
 */
export function shownThings(scene: Scene, renderer: StageRenderer, own: Element): Rect[] {
  const { camera, canvas } = renderer;
  const { left, top } = canvas.getBoundingClientRect();
  const { x, y, width, height } = own.getBoundingClientRect();
  const self = { x: x - left, y: y - top, width, height };
  const over = renderer.covered().filter((rect) => !overlaps(rect, self));
  if (!showsText(camera.goal)) return over;
  const { cards, pills, edges } = scene.visible(camera.aim, camera.goal);
  const shapes = [...cards, ...pills].flatMap((part) => shapesOf(part).map(({ rect }) => rect));
  const numbers = edges.map(numberOf).filter((rect) => rect !== null);
  const notes = [...scene.notes, ...titlesOf(scene)].map(({ rect }) => rect);
  const view = { x: camera.aim.x, y: camera.aim.y, scale: camera.goal };
  return [...over, ...[...shapes, ...numbers, ...notes].map((rect) => onScreen(rect, view))];
}
