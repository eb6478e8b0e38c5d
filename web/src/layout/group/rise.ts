// How far cards and numbers beside ops rise above their rows, and what keeps them clear of what is above.

import { NUMBER_RISE, sideFoot, sideNumbers, sideRise } from '../sides';
import { PILL_HEIGHT } from '../size';
import type { Member } from './group';
import type { Side, Vertex } from './order';

/** What cards beside an op keep away from what is above them. */
const SIDE_GAP = 8;

/** What is beside a member, null where nothing is. */
export function sideOf({ item, left }: Member): Side | null {
  if (!item || item.sides.length === 0) return null;
  return {
    own: item.left,
    near: item.sideReach,
    far: left,
    rise: sideRise(item),
    foot: sideFoot(item),
    numbers: sideNumbers(item),
  };
}

/** How much higher a row has to be so that what is beside its ops is clear of what is above. */
export function riseOf(
  rows: readonly Vertex[][],
  at: number,
  tops: readonly number[],
  heights: readonly number[],
  top: number,
): number {
  let most = 0;
  for (const { x, side } of rows[at]!) {
    if (!side) continue;
    const cards = { begin: x - side.far - SIDE_GAP, end: x - side.near + SIDE_GAP, rise: side.rise };
    most = Math.max(most, top + side.rise - tops[at]!);
    if (at > 0 && side.rise > most && rows[at]!.some((vertex) => bendsOver(vertex, cards.begin, cards.end)))
      most = Math.max(most, side.rise);
    if (side.rise > 0) most = Math.max(most, clearance(cards, SIDE_GAP, rows, at, tops, heights));
    if (side.numbers === 0) continue;
    const numbers = { begin: x - side.near, end: x - side.near + side.numbers, rise: NUMBER_RISE - PILL_HEIGHT / 2 };
    most = Math.max(most, clearance(numbers, 0, rows, at, tops, heights));
  }
  return most;
}

/** How far a row has to go down so that a stretch that rises above it is clear of the rows before, by a gap. */
function clearance(
  { begin, end, rise }: { begin: number; end: number; rise: number },
  gap: number,
  rows: readonly Vertex[][],
  at: number,
  tops: readonly number[],
  heights: readonly number[],
): number {
  const upper = tops[at]! - rise;
  let most = 0;
  for (let row = at - 1; row >= 0; row -= 1) {
    const foot = tops[row]! + heights[row]!;
    if (foot + gap <= upper) break;
    for (const vertex of rows[row]!) most = Math.max(most, footIn(vertex, foot, begin, end) + gap - upper);
  }
  return Math.min(most, rise + gap);
}

/** Whether an edge to a vertex passes sideways over a stretch. */
function bendsOver({ x, above }: Vertex, begin: number, end: number): boolean {
  for (const { upper, upperX, lowerX } of above) {
    const [from, to] = [upper.x + upperX, x + lowerX];
    if (Math.min(from, to) < end && Math.max(from, to) > begin) return true;
  }
  return false;
}

/** Where a vertex whose row ends at `foot` ends within a stretch; nowhere where it does not reach into it. */
function footIn({ x, left, right, side }: Vertex, foot: number, begin: number, end: number): number {
  if (x - (side ? side.own : left) < end && x + right > begin) return foot;
  return side && x - side.far < end && x - side.near > begin ? foot - side.foot : Number.NEGATIVE_INFINITY;
}
