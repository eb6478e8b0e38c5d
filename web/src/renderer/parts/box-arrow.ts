// Arrowheads at the rims of boxes: where an edge goes into one, and where a gradient goes back into the one it came from.

import type { Link } from '../../layout/graph';
import { holds, type Rect } from '../../layout/rect';
import type { Dots } from '../../scene/dots';
import type { BlockPart, EdgePart } from '../../scene/parts/parts';
import type { Pen } from '../pen';

/** The length of an arrowhead on the screen, in pixels; boxes that are smaller than three of it have none. */
const HEAD = 6;
const LEAST_BOX = 3 * HEAD;
/** In a slim box they leave a line of text free, but are never shorter than this. */
const LINE = 14;
const LEAST_HEAD = 3;
/** Arrowheads that would be closer to each other on the screen, in pixels, are one. */
const APART = 4;
/** More pairs of edges and boxes than these are not compared. */
const MOST_PAIRS = 300_000;

/** An edge, and whether a gradient has come along it. */
export type Crossing = { link: Link; sent: boolean };
/** Where an edge enters a box, and its direction there. */
export type Entry = { x: number; y: number; dx: number; dy: number };

/** The edges of a scene as far as they may enter boxes. */
export function crossingsOf(edges: readonly EdgePart[], { sent, unsent }: Pick<Dots, 'sent' | 'unsent'>): Crossing[] {
  return [
    ...unsent.map((link) => ({ link, sent: false })),
    ...sent.map((link) => ({ link, sent: true })),
    ...edges.map(({ link, gradient }) => ({ link, sent: gradient !== null })),
  ];
}

/** Draws the arrowheads of edges inside the rims of the boxes that they lead into. */
export function drawArrows(pen: Pen, blocks: readonly BlockPart[], crossings: readonly Crossing[]): void {
  const { scale, tokens } = pen;
  const boxes = blocks.filter(({ rect }) => Math.min(rect.width, rect.height) * scale >= LEAST_BOX);
  const enter = ({ x, y, dx, dy }: Entry, { height }: Rect, colour: string) => {
    const size = (dx === 0 ? headIn(height * scale) : HEAD) / scale;
    const length = Math.hypot(dx, dy) || 1;
    pen.arrow(x + (dx / length) * size, y + (dy / length) * size, dx, dy, colour, size);
  };
  for (const { inflow, rect } of boxes) {
    if (!inflow) continue;
    enter(inflow.into, rect, tokens.muted);
    if (inflow.sent) enter(inflow.back, rect, tokens.gradient);
  }
  if (boxes.length === 0 || boxes.length * crossings.length > MOST_PAIRS) return;
  const drawn = new Set<string>();
  const draw = (points: Float32Array, end: 'start' | 'end', colour: string) => {
    const [x, y] = endOf(points, end);
    const box = boxes.find(({ rect }) => holds(rect, x, y));
    const entry = box && entryOf(points, end, box.rect);
    if (!entry) return;
    const [column, row] = [entry.x, entry.y].map((at) => Math.round((at * scale) / APART));
    const key = `${colour} ${column} ${row}`;
    if (drawn.has(key)) return;
    drawn.add(key);
    enter(entry, box.rect, colour);
  };
  for (const { link, sent } of crossings) {
    if (sent) draw(link.points, 'start', tokens.gradient);
    if (link.value) draw(link.points, 'end', tokens.muted);
  }
}

/** The length of a head at the upper or lower rim of a box of a height, in pixels. */
export function headIn(height: number): number {
  return Math.max(LEAST_HEAD, Math.min(HEAD, (height - LINE) / 2));
}

function endOf(points: Float32Array, end: 'start' | 'end'): [number, number] {
  return end === 'end' ? [points.at(-2)!, points.at(-1)!] : [points[0]!, points[1]!];
}

/** Where an edge that ends in a rectangle enters it; null where it lies in it as a whole. */
export function entryOf(points: Float32Array, end: 'start' | 'end', rect: Rect): Entry | null {
  const count = points.length / 2;
  const at = (i: number): [number, number] => {
    const index = end === 'end' ? count - 1 - i : i;
    return [points[2 * index]!, points[2 * index + 1]!];
  };
  for (let i = 1; i < count; i += 1) {
    const [x0, y0] = at(i);
    if (holds(rect, x0, y0)) continue;
    const [x1, y1] = at(i - 1);
    const [dx, dy] = [x1 - x0, y1 - y0];
    // The share of the way from the outer point at which the last of the sides that are crossed is behind.
    const [tx, ty] = [sideShare(x0, dx, rect.x, rect.width), sideShare(y0, dy, rect.y, rect.height)];
    const t = Math.max(tx, ty);
    return { x: x0 + dx * t, y: y0 + dy * t, dx: tx >= ty ? dx : 0, dy: tx >= ty ? 0 : dy };
  }
  return null;
}

function sideShare(from: number, by: number, start: number, length: number): number {
  if (by === 0) return 0;
  return Math.max(0, ((by > 0 ? start : start + length) - from) / by);
}
