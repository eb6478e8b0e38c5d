// The grounds of modules at one moment: those that have begun, as far down as their ops have come.

import { FRAME_FOOTER, type Frame } from '../layout/frame';
import type { Chunk } from '../layout/mirror';
import { holds, overlaps, type Rect } from '../layout/rect';
import type { RunState } from '../timeline/state';
import type { FramePart } from './parts';
import { isSame, type Target } from './target';

type Pointed = { selection: Target | null; hover: Target | null };

/** The frames of a chunk that reach into a rectangle, outer ones first. */
export function framesIn(chunk: Chunk, rect: Rect, state: RunState, pointed: Pointed): FramePart[] {
  // What a step joins after its op may have left the module already.
  const op = state.events.find((event) => event.kind === 'op_applied');
  const call = op ? state.history.whereabouts.callAt(op.seq) : null;
  const made: FramePart[] = [];
  for (const frame of chunk.frames) {
    const rects = groundAt(frame, state.seq).filter((ground) => overlaps(ground, rect));
    if (rects.length === 0) continue;
    const target: Target = { type: 'module', call: frame.call.event.call };
    made.push({
      frame,
      rects,
      shade: frame.depth,
      current: call?.event.call === frame.call.event.call,
      selected: isSame(target, pointed.selection),
      hovered: isSame(target, pointed.hover),
      target,
    });
  }
  return made;
}

/** The innermost frame at a point. */
export function frameAt(chunks: readonly Chunk[], x: number, y: number, seq: number): Target | null {
  for (const chunk of chunks) {
    const frame = chunk.frames.findLast((one) => groundAt(one, seq).some((rect) => holds(rect, x, y)));
    if (frame) return { type: 'module', call: frame.call.event.call };
  }
  return null;
}

function groundAt(frame: Frame, seq: number): Rect[] {
  const shown = frame.items.filter((item) => item.seq <= seq);
  if (shown.length === frame.items.length) return frame.rects;
  if (shown.length === 0) return [];
  const bottom = Math.max(...shown.map((item) => item.y + item.height)) + FRAME_FOOTER;
  return frame.rects.flatMap((rect) => {
    const height = Math.min(rect.height, bottom - rect.y);
    return height > 0 ? [{ ...rect, height }] : [];
  });
}
