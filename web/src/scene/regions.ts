// The areas of checkpointed functions: which ops keep no saved tensors, and whether they are computed again just now.

import type { Checkpoint, Item } from '../layout/graph';
import type { MirrorLayout } from '../layout/mirror';
import { overlaps, type Rect, union } from '../layout/rect';
import { PILL_HEIGHT, regionText, SHOULDER } from '../layout/size';
import type { RunState } from '../timeline/state';
import type { RegionPart } from './parts/parts';

const PAD = 10;
const RING = 6;

/** The areas of the checkpoints that some items belong to. */
export function regionsOf(items: readonly Item[], state: RunState, layout: MirrorLayout): RegionPart[] {
  const checkpoints = new Set<Checkpoint>();
  for (const item of items) if (item.checkpoint) checkpoints.add(item.checkpoint);
  const made: RegionPart[] = [];
  for (const checkpoint of checkpoints) {
    const part = regionOf(checkpoint, state, layout);
    if (part) made.push(part);
  }
  return made;
}

function regionOf(checkpoint: Checkpoint, state: RunState, layout: MirrorLayout): RegionPart | null {
  const shown = checkpoint.items.filter((item) => item.seq <= state.seq && item.chunk >= 0);
  const first = shown[0];
  if (!first) return null;
  const running = state.recomputation?.checkpoint === checkpoint.checkpoint;
  const chunks = new Set(shown.map((item) => item.chunk));
  const others = [...chunks].flatMap((chunk) => layout.chunks[chunk]!.items).filter((item) => !shown.includes(item));
  let whole: Rect | null = null;
  for (const item of shown) whole = union(whole, areaOf(item));
  const isFree = chunks.size === 1 && !others.some((item) => overlaps(boxOf(item), whole!));
  return {
    areas: isFree && whole ? [whole] : shown.map(areaOf),
    label: regionText(checkpoint.function, running || checkpoint.again),
    // Beside the ring of what runs.
    labelX: first.x - first.pillLeft - SHOULDER - (running ? RING : 0),
    labelY: first.y + first.pillTop + PILL_HEIGHT / 2,
    running,
  };
}

function boxOf(item: Item): Rect {
  return { x: item.x - item.left, y: item.y, width: item.left + item.right, height: item.height };
}

function areaOf(item: Item): Rect {
  const { x, y, width, height } = boxOf(item);
  return { x: x - PAD, y: y - PAD, width: width + 2 * PAD, height: height + PAD + 4 };
}
