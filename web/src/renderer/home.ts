// What the view shows by default: the whole graph, the pass that is now, or the boxes of a large model.

import type { Scene } from '../scene/scene';
import type { Camera, Home } from './camera';

/** A pass of more leaves and ops, where it cannot be read as a whole, opens as boxes. */
const MOST_SINGLE = 150;

/** The view to begin with: everything if that can be read, else the pass that the moment belongs to. */
export function homeOf(camera: Camera, scene: Scene): Home {
  const rect = camera.natural(scene.bounds) >= camera.leastWhole ? scene.bounds : scene.frame;
  return { rect, anchor: scene.reach ?? scene.latest, drawn: scene.drawn };
}

/** Whether the pass that is now has more ops than can be read at once. */
export function isLarge(camera: Camera, { layout, frame, state }: Scene): boolean {
  if (camera.natural(frame) >= camera.readable.whole) return false;
  const column = layout.columnAt(Math.max(0, state.seq))?.index;
  const chunks = layout.chunks.filter((chunk) => chunk.column === column && !chunk.up);
  return chunks.reduce((sum, { items }) => sum + items.length, 0) > MOST_SINGLE;
}

/** Whether a run opens as boxes: a large model does, and stays so until it is stepped by nodes or the reader goes nearer. */
export function opensAsBoxes(camera: Camera, scene: Scene): boolean {
  return camera.opening && isLarge(camera, scene);
}
