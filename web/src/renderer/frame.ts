// Draws the grounds of modules, with their names.

import { SMALL } from '../layout/size';
import type { FramePart } from '../scene/parts';
import type { Pen } from './pen';

const RADIUS = 10;
const SHADES = 3;

/** Draws a ground; its rim first, so that only what is outside of all its rectangles stays of it. */
export function drawFrame(pen: Pen, part: FramePart): void {
  const { ctx, tokens, scale } = pen;
  const { rects, shade, selected, current, hovered } = part;
  const path = (): void => {
    ctx.beginPath();
    for (const { x, y, width, height } of rects) ctx.roundRect(x, y, width, height, RADIUS);
  };
  const rim = selected ? tokens.focus : current ? tokens.forward : hovered ? tokens.faint : tokens.hairlineStrong;
  path();
  pen.stroke(rim, (selected || current ? 4 : 2) / Math.min(1, scale * 1.5));
  path();
  pen.fill(tokens.groups[shade % SHADES]!);
}

/** Writes a module's name on its ground. */
export function drawFrameName(pen: Pen, part: FramePart): void {
  const { tokens } = pen;
  const { name, detail, labelX, labelY } = part.frame;
  const ink = part.current ? tokens.forwardInk : tokens.muted;
  pen.text(name, labelX, labelY, part.selected ? tokens.ink : ink, SMALL, 'left', 600);
  pen.text(detail, labelX + ([...name].length + 1) * SMALL * 0.6, labelY, tokens.muted, SMALL, 'left', 400);
}
