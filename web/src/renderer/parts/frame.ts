// Draws the grounds of modules, with their names.

import type { Area } from '../../layout/area';
import { type Frame, isNumber } from '../../layout/frame';
import type { Item } from '../../layout/graph';
import { overlaps, type Rect } from '../../layout/rect';
import { SMALL } from '../../layout/size';
import * as say from '../../messages/pictures';
import type { BlockPart, FramePart } from '../../scene/parts/parts';
import type { Pen } from '../pen';

const RADIUS = 10;
const SHADES = 3;
/** The height of a plate on the screen, and what is between a box and its plate beside it. */
export const PLATE = 18;
export const GAP = 4;

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
  const { mark, current, selected } = part;
  const ink = mark ? tokens.errorInk : current ? tokens.forwardInk : tokens.muted;
  pen.text(label, labelX, labelY, selected ? tokens.ink : ink, SMALL, 'left', 600);
  // What is wrong in it matters more than its type.
  const [detail, colour] =
    mark && labelDetail !== '' ? [say.marks[mark], tokens.errorInk] : [labelDetail, tokens.muted];
  pen.text(detail, labelX + ([...label].length + 1) * SMALL * 0.6, labelY, colour, SMALL, 'left', 400);
}

/** A name as a plate: of a ground on its upper rim, of a small box `beside` it, off all texts; a `bare` one is the text alone. */
export type Plate = {
  about: Frame | Area | Item;
  selected: boolean;
  beside?: boolean;
  bare?: boolean;
  text: string;
  rect: Rect;
};

/**
 * Plates for the grounds that are too small for the names on them, outer ones first: where they fit, and leave blocks and
 * shapes their names, and all that is `kept` free to be seen.
 */
export function platesOf(
  pen: Pen,
  parts: readonly FramePart[],
  blocks: readonly BlockPart[],
  shapes: readonly Rect[],
  kept: readonly Rect[] = [],
): Plate[] {
  if (pen.showsText) return [];
  const plates: Plate[] = [];
  const placed: Rect[] = [...kept];
  const named = new Set<Frame>();
  const taken = [...shapes, ...kept];
  const slim = blocks.filter(({ rect, current }) => current && rect.height < pen.lineHeight);
  const beside = slim.map((block) => besideOf(pen, block));
  // A plate leaves the corners of what is directly inside its ground free where one of them would else go without a name.
  const corners = new Map<Frame, { part: FramePart; corner: Rect }[]>();
  for (const part of parts) {
    const { outer } = part.frame;
    const plate = outer && plateOf(pen, part, [], []);
    if (plate) corners.set(outer, [...(corners.get(outer) ?? []), { part, corner: plate.rect }]);
  }
  for (const part of parts) {
    const inner = corners.get(part.frame) ?? [];
    const { outer } = part.frame;
    // A number alone says nothing but beside the name that it belongs to.
    const { name, short } = part.frame;
    const isBare = isNumber(short) && name.endsWith(`.${short}`) && outer && !named.has(outer);
    const names = isBare ? [name] : namesOf(part);
    const free = (around: readonly Rect[]) => {
      const plate = plateOf(pen, part, around, blocks, names);
      const isIn = plate && inner.some((one) => overlaps(one.corner, plate.rect));
      if (!plate || !isIn) return plate;
      const leaves = inner.every((one) => plateOf(pen, one.part, [...around, plate.rect], blocks));
      return leaves
        ? plate
        : (plateOf(pen, part, [...around, ...inner.map(({ corner }) => corner)], blocks, names) ?? plate);
    };
    // The place of the name of what acts, and a shape without a name, may be covered where there is no other room.
    const found = free([...taken, ...beside]) ?? free(taken) ?? (pen.showsNames ? null : free(placed));
    if (!found) continue;
    plates.push({ about: part.frame, selected: part.selected, ...found });
    named.add(part.frame);
    placed.push(found.rect);
    taken.push(found.rect);
  }
  return plates;
}

/** Where the name of a slim block goes first: to its right. */
function besideOf({ scale }: Pen, { name, rect: { x, y, width, height } }: BlockPart): Rect {
  const high = PLATE / scale;
  return { x: x + width, y: y + (height - high) / 2, width: (plateWidth(name) + 2 * GAP) / scale, height: high };
}

/** Whether a plate leaves a block that has texts no room for them. */
function hides(plate: Rect, { rect }: BlockPart, { lineHeight }: Pen): boolean {
  const under = rect.y + rect.height - plate.y - plate.height;
  return overlaps(rect, plate) && rect.height >= lineHeight && under < lineHeight;
}

function namesOf({ frame }: FramePart): string[] {
  return [frame.name, frame.short];
}

/** The first name that fits on the rim of a ground, and the size of its plate; null where neither fits. */
function plateFor(
  { scale }: Pen,
  { rect }: FramePart,
  names: readonly string[],
): { text: string; width: number; height: number } | null {
  const height = PLATE / scale;
  if (height * 2 > rect.height) return null;
  for (const text of names) {
    const width = plateWidth(text) / scale;
    if (text !== '' && width * 1.5 <= rect.width) return { text, width, height };
  }
  return null;
}

/** The width of a plate on the screen. */
export function plateWidth(text: string): number {
  return [...text].length * SMALL * 0.6 + 12;
}

/** Where a plate has room: at the ground's corner, or beside what is there; on the rim's line, else above it, else below it. */
function plateOf(
  pen: Pen,
  part: FramePart,
  taken: readonly Rect[],
  blocks: readonly BlockPart[],
  names = namesOf(part),
): Pick<Plate, 'text' | 'rect'> | null {
  const plate = plateFor(pen, part, names);
  if (!plate) return null;
  const { scale } = pen;
  const { rect } = part;
  const { text, width, height } = plate;
  const end = rect.x + rect.width - width;
  for (const y of [rect.y - height / 3, rect.y - height, rect.y + 2 / scale]) {
    const at = { x: rect.x + 6 / scale, y, width, height };
    while (at.x < end) {
      const there = taken.find((other) => overlaps(other, at)) ?? blocks.find((block) => hides(at, block, pen))?.rect;
      if (!there) return { text, rect: at };
      at.x = there.x + there.width + 3 / scale;
    }
  }
  return null;
}

/** Draws a plate. */
export function drawPlate(pen: Pen, { selected, bare, text, rect }: Plate): void {
  const { tokens, scale } = pen;
  const { x, y, width, height } = rect;
  if (bare) {
    pen.mark(text, x, y + height / 2, tokens.muted, 'left');
    return;
  }
  pen.box(x, y, width, height, 4 / scale);
  pen.fill(tokens.paper);
  pen.stroke(tokens.hairlineStrong, 1 / scale);
  pen.mark(text, x + 6 / scale, y + height / 2, selected ? tokens.ink : tokens.muted, 'left');
}
