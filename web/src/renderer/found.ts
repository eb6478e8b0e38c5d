// Draws what a search found: a veil over all else, and marks on hits that are too small to be read.

import type { Rect } from '../layout/rect';
import { SMALL } from '../layout/size';
import type { BlockPart } from '../scene/parts/parts';
import type { Pen } from './pen';

/** How much of what lies below the veil is taken away. */
const VEIL = 0.78;
/** On the screen, in pixels. */
const LEAST_HIT = 8;
const BADGE = 18;

/** Makes what is drawn so far quiet. */
export function drawVeil(pen: Pen, { x, y, width, height }: Rect): void {
  const { ctx, tokens } = pen;
  ctx.globalAlpha = VEIL;
  ctx.fillStyle = tokens.paper;
  ctx.fillRect(x, y, width, height);
  ctx.globalAlpha = 1;
}

/** Marks a hit whose text cannot be read at this scale. */
export function drawHit(pen: Pen, { x, y, width, height }: Rect): void {
  if (pen.showsText) return;
  const wide = Math.max(width, LEAST_HIT / pen.scale);
  const high = Math.max(height, LEAST_HIT / pen.scale);
  const radius = Math.min(wide, high) / 2;
  pen.box(x + width / 2 - wide / 2, y + height / 2 - high / 2, wide, high, radius);
  pen.fill(pen.tokens.ink);
}

/** Says on a block how many hits are in it. */
export function drawCount(pen: Pen, { rect, found }: BlockPart): void {
  const { tokens, scale } = pen;
  const text = String(found);
  const wide = (text.length * SMALL * 0.6 + 12) / scale;
  const high = BADGE / scale;
  // On the corner, so that the name stays free.
  const x = rect.x + rect.width - Math.min(wide, rect.width) / 2 - wide / 2;
  const y = rect.y - high / 2;
  pen.box(x, y, wide, high, high / 2);
  pen.fill(tokens.ink);
  pen.mark(text, x + wide / 2, rect.y, tokens.paper, 'center', 600);
}
