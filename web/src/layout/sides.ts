// Side leaves: what a single op uses and nothing gives to, as a parameter or a constant, is at the left of the op, at its
// height.  It takes no row of its own, and its edge is short and straight.

import type { Item, Link } from './graph';
import { GRAD_HEIGHT, LABEL_GAP, LANE, NUMBER_CHARS, PILL_HEIGHT, SMALL, width } from './size';

/** Leaves that one op may have beside it, and inputs beyond which an op has all of them above it. */
const MOST_SIDES = 3;
const MOST_INPUTS = 6;
const CARD_GAP = 10;
/** The least length of the edge. */
const LEAST_EDGE = 28;
/** A longer label above pushes cards down rather than aside. */
const MOST_LABEL = 150;
/** What the cards keep away from the labels at the op's left. */
const LABEL_ROOM = 10;
/** How far apart the edges of several enter the pill. */
const ENTRY_GAP = 8;

/** Puts leaves beside their only user, where that is on the same ground; `groundOf` gives the ground of an item. */
export function attachSides(items: readonly Item[], groundOf: (item: Item) => unknown): void {
  for (const op of items) {
    if (op.kind !== 'op' || op.inputs.length > MOST_INPUTS || op.checkpoint?.items[0] === op) continue;
    if (!op.inputs.some(({ from }) => isSingle(from))) continue;
    const sides = sidesOf(op, (item) => items[item.number] === item && groundOf(item) === groundOf(op));
    if (sides.length === 0 || sides.length > MOST_SIDES) continue;
    op.sides = sides;
    for (const side of sides) side.host = op;
    const hasNumber = op.inputs.some((link) => link.from.host === op && link.labelled);
    const edge = hasNumber ? 2 * LABEL_GAP + width(NUMBER_CHARS, SMALL) : LEAST_EDGE;
    const labels = op.inputs.reduce((most, { from }) => Math.max(most, labelLeft(from)), op.left);
    op.sideReach = Math.ceil(Math.max(labels + LABEL_ROOM, op.pillLeft + edge));
  }
}

/** How far the label of an op's only result, which is right above its user, reaches from its spine. */
function labelLeft({ kind, outputs, left }: Item): number {
  return kind === 'op' && outputs.length === 1 ? Math.min(left, MOST_LABEL) : 0;
}

const isSingle = ({ kind, host, outputs }: Item) => kind !== 'op' && host === null && outputs[0]!.uses === 1;

/** The leaves that nothing else uses; where all inputs are such, the first that wants no gradient stays above, else the first. */
function sidesOf(op: Item, isNear: (item: Item) => boolean): Item[] {
  const inputs = new Set(op.inputs.map(({ from }) => from));
  const sides = [...inputs].filter((from) => isSingle(from) && isNear(from));
  if (sides.length < inputs.size) return sides;
  const above = sides.find((side) => !side.requiresGrad) ?? sides[0];
  return sides.filter((side) => side !== above);
}

/** How far what is beside an op reaches from its spine. */
export function sideLeft({ left, sides, sideReach }: Item): number {
  return sides.reduce((most, side) => Math.max(most, sideReach + side.left + side.right), left);
}

/** How far the number beside a level edge reaches above the middle of the pill. */
export const NUMBER_RISE = 19;

const heightOf = (sides: readonly Item[]) =>
  sides.reduce((sum, { height }) => sum + height, CARD_GAP * (sides.length - 1));

/** How far the numbers beside the edges reach to the right of the cards, 0 where there are none. */
export function sideNumbers({ inputs, sides }: Item): number {
  return sides.length > 0 && sides.some((side) => inputs.some(({ from, labelled }) => from === side && labelled))
    ? LABEL_GAP + width(NUMBER_CHARS, SMALL)
    : 0;
}

/** Where the cards beside an op end, below its top: in the middle of its pill, but no lower than the op itself. */
function sideBottom({ sides, pillTop, height }: Item): number {
  return Math.min(height, pillTop + (PILL_HEIGHT + heightOf(sides)) / 2);
}

/** How far the cards beside an op reach above its top. */
export function sideRise(op: Item): number {
  return op.sides.length === 0 ? 0 : Math.max(0, heightOf(op.sides) - sideBottom(op));
}

/** How far above the foot of an op the cards beside it end. */
export function sideFoot(op: Item): number {
  return op.sides.length === 0 ? 0 : op.height - sideBottom(op);
}

/** Places what is beside an op that is itself placed. */
export function settleSides(op: Item): void {
  let y = op.y + sideBottom(op) - heightOf(op.sides);
  for (const side of op.sides) {
    side.x = op.x - op.sideReach - side.right;
    side.y = y;
    y += side.height + CARD_GAP;
  }
}

const BEND_POINTS = 12;
/** An edge runs straight for this far before it enters the pill. */
const STRAIGHT = 8;

/** Draws the edge from a side leaf that is placed to its op. */
export function drawSide(link: Link): void {
  const { from, to } = link;
  const { sides } = to;
  const nr = sides.indexOf(from);
  const begin = { x: from.x + from.pillRight, y: from.y + faceOf(from) / 2 };
  const middle = to.y + to.pillTop + PILL_HEIGHT / 2;
  const end = { x: to.x - to.pillLeft, y: middle + (nr - (sides.length - 1) / 2) * ENTRY_GAP };
  // One alone has a straight edge.
  if (sides.length === 1) begin.y = Math.min(Math.max(middle, from.y + 8), from.y + from.height - 8);
  const points = [begin.x, begin.y];
  const until = end.x - STRAIGHT;
  if (Math.abs(begin.y - end.y) > 0.5) {
    for (let i = 1; i <= BEND_POINTS; i += 1) {
      const t = i / BEND_POINTS;
      points.push(begin.x + (until - begin.x) * t, begin.y + (end.y - begin.y) * t * t * (3 - 2 * t));
    }
  }
  points.push(end.x, end.y);
  link.points = new Float32Array(points);
  // The number is drawn to the right of this, beyond the lane of a gradient that goes up the page.
  link.labelX = begin.x - LANE;
  link.labelY = begin.y - NUMBER_RISE + SMALL / 2;
}

/** The height of a card without the chips of hooks below it. */
function faceOf({ kind, body, height, requiresGrad }: Item): number {
  return kind === 'leaf' ? Math.min(height, body + (requiresGrad ? GRAD_HEIGHT : 0)) : height;
}
