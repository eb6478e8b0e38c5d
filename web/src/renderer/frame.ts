// Draws the grounds of modules, with their names.

import { overlaps, type Rect } from '../layout/rect';
import { SMALL } from '../layout/size';
import type { BlockPart, FramePart } from '../scene/parts';
import type { Pen } from './pen';

const RADIUS = 10;
const SHADES = 3;
/** The height of a plate on the screen. */
const PLATE = 18;

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

/** The name of a ground as a plate on its upper rim. */
export type Plate = { part: FramePart; rect: Rect };

/**
 * Plates for the grounds that are too small for the names on them, outer ones first: where they fit, and leave blocks and
 * shapes their names.
 */
export function platesOf(
  pen: Pen,
  parts: readonly FramePart[],
  blocks: readonly BlockPart[],
  shapes: readonly Rect[],
): Plate[] {
  if (pen.showsText) return [];
  const plates: Plate[] = [];
  const placed: Rect[] = [];
  const taken = [...shapes];
  for (const part of parts) {
    // A shape without a name may be covered where there is no other room.
    const plate = plateOf(pen, part, taken) ?? (pen.showsNames ? null : plateOf(pen, part, placed));
    if (!plate) continue;
    const covers = blocks.some(
      ({ rect }) => overlaps(rect, plate) && rect.height >= pen.lineHeight && roomUnder(rect, plate) < pen.lineHeight,
    );
    if (covers) continue;
    plates.push({ part, rect: plate });
    placed.push(plate);
    taken.push(plate);
  }
  return plates;
}

/** The height that a plate leaves of what it lies on. */
function roomUnder(rect: Rect, plate: Rect): number {
  return rect.y + rect.height - plate.y - plate.height;
}

/** Where a plate has room: at the ground's corner, or beside what is there; on the rim's line, else above it. */
function plateOf({ scale }: Pen, { rect, frame }: FramePart, taken: readonly Rect[]): Rect | null {
  const width = ([...frame.name].length * SMALL * 0.6 + 12) / scale;
  const height = PLATE / scale;
  if (frame.name === '' || width * 1.5 > rect.width || height * 2 > rect.height) return null;
  const end = rect.x + rect.width - width;
  for (const y of [rect.y - height / 3, rect.y - height]) {
    const plate = { x: rect.x + 6 / scale, y, width, height };
    while (plate.x < end) {
      const there = taken.find((other) => overlaps(other, plate));
      if (!there) return plate;
      plate.x = there.x + there.width + 3 / scale;
    }
  }
  return null;
}

/** Draws a plate. */
export function drawPlate(pen: Pen, { part, rect }: Plate): void {
  const { tokens, scale } = pen;
  const { x, y, width, height } = rect;
  pen.box(x, y, width, height, 4 / scale);
  pen.fill(tokens.paper);
  pen.stroke(tokens.hairlineStrong, 1 / scale);
  pen.mark(part.frame.name, x + 6 / scale, y + height / 2, part.selected ? tokens.ink : tokens.muted, 'left');
}
