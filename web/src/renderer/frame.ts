// Draws the grounds of modules, with their names.

import { overlaps, type Rect } from '../layout/rect';
import { SMALL } from '../layout/size';
import type { FramePart } from '../scene/parts';
import type { Pen } from './pen';

const RADIUS = 10;
const SHADES = 3;

/** Draws a ground. */
export function drawFrame(pen: Pen, part: FramePart): void {
  const { tokens, scale } = pen;
  const { rect, shade, selected, current, hovered } = part;
  const rim = selected ? tokens.focus : current ? tokens.forward : hovered ? tokens.faint : tokens.hairlineStrong;
  pen.box(rect.x, rect.y, rect.width, rect.height, RADIUS);
  pen.stroke(rim, (selected || current ? 4 : 2) / Math.min(1, scale * 1.5));
  pen.fill(tokens.groups[shade % SHADES]!);
}

/** Writes a module's name on its ground. */
export function drawFrameName(pen: Pen, part: FramePart): void {
  const { tokens } = pen;
  const { label, labelDetail, labelX, labelY } = part.frame;
  const ink = part.current ? tokens.forwardInk : tokens.muted;
  pen.text(label, labelX, labelY, part.selected ? tokens.ink : ink, SMALL, 'left', 600);
  pen.text(labelDetail, labelX + ([...label].length + 1) * SMALL * 0.6, labelY, tokens.muted, SMALL, 'left', 400);
}

/** Writes the names of grounds that are too small for the names on them, outer ones first, where they fit and none lies on another. */
export function drawPlates(pen: Pen, parts: readonly FramePart[]): void {
  const { tokens, scale } = pen;
  const taken: Rect[] = [];
  for (const { rect, frame, shade, selected } of parts) {
    const wide = ([...frame.name].length * SMALL * 0.6 + 12) / scale;
    const plate = { x: rect.x + 2 / scale, y: rect.y + 2 / scale, width: wide, height: 18 / scale };
    if (frame.name === '' || wide * 1.5 > rect.width || plate.height * 2 > rect.height) continue;
    if (taken.some((other) => overlaps(other, plate))) continue;
    taken.push(plate);
    pen.box(plate.x, plate.y, plate.width, plate.height, 4 / scale);
    pen.fill(tokens.groups[shade % SHADES]!);
    pen.mark(frame.name, plate.x + 6 / scale, plate.y + plate.height / 2, selected ? tokens.ink : tokens.muted, 'left');
  }
}
