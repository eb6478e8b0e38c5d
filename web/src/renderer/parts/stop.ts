// Draws the mark of a breakpoint beside a pill or a card.

import type { Rect } from '../../layout/rect';
import type { Pen } from '../pen';

const RADIUS = 4;
/** From the edge of what has it, past its rings. */
const AWAY = 13;

export function drawStop({ ctx, tokens }: Pen, { x, y, height }: Rect): void {
  ctx.beginPath();
  ctx.arc(x - AWAY, y + height / 2, RADIUS, 0, Math.PI * 2);
  ctx.fillStyle = tokens.ink;
  ctx.fill();
}
