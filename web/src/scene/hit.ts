// Finds the part of a scene under the pointer.

import { holds } from '../layout/rect';
import { roundsOf } from './fold/folds';
import type { EdgePart } from './parts/parts';
import { type Scene, TITLE_ROOM } from './scene';
import { type Target, targetOf } from './target';

const HIT_DISTANCE = 7;
/** By how many pixels thin things are widened for the pointer. */
const SLACK = 3;

/** What lies at a point of a view at a scale. */
export function hitAt(scene: Scene, x: number, y: number, scale: number): Target | null {
  const slack = SLACK / scale;
  const near = { x: x - 400, y: y - 60, width: 800, height: 120 };
  const { cards, pills, edges, blocks, frames } = scene.visible(near, scale);
  const block = blocks.find(({ rect }) => holds(rect, x, y));
  if (block) return block.target;
  for (const pill of pills) {
    const chip = pill.chips.find((candidate) => !candidate.absent && holds(candidate.rect, x, y));
    if (chip) return chip.target;
    if (holds(pill.rect, x, y)) return pill.target;
  }
  const card = cards.find((candidate) => holds(candidate.rect, x, y));
  if (card) return card.target;
  for (const pill of pills) {
    for (const output of pill.outputs) {
      if (Math.abs(y - output.y) < 11 && x > output.x - 120 && x < output.x - 2) return output.target;
    }
  }
  let best: { edge: EdgePart; distance: number } | null = null;
  for (const edge of edges) {
    if (!edge.target) continue;
    const distance = distanceTo(edge.link.points, x, y);
    if (distance < HIT_DISTANCE + slack && (!best || distance < best.distance)) best = { edge, distance };
  }
  return best?.edge.target ?? frames.findLast(({ rect }) => holds(rect, x, y))?.target ?? titleAt(scene, x, y);
}

/** The round of a training loop whose column has its title at a point. */
function titleAt({ layout }: Scene, x: number, y: number): Target | null {
  const column = layout.columns.find(
    ({ rect }) => rect && holds({ ...rect, y: rect.y - TITLE_ROOM, height: TITLE_ROOM }, x, y),
  );
  if (!column) return null;
  for (const [chunk, round] of roundsOf(layout)) if (chunk.column === column.index) return targetOf(round);
  return null;
}

function distanceTo(points: Float32Array, x: number, y: number): number {
  let best = Number.POSITIVE_INFINITY;
  for (let i = 2; i < points.length; i += 2) {
    const x0 = points[i - 2]!;
    const y0 = points[i - 1]!;
    const dx = points[i]! - x0;
    const dy = points[i + 1]! - y0;
    const t = Math.max(0, Math.min(1, ((x - x0) * dx + (y - y0) * dy) / (dx * dx + dy * dy || 1)));
    best = Math.min(best, Math.hypot(x - x0 - dx * t, y - y0 - dy * t));
  }
  return best;
}
