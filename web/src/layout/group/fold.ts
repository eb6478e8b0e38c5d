// Folding: a group that is much taller than wide is in columns beside each other, as a text does in a newspaper.

import type { Link } from '../graph';
import type { Group, Turn, Wire } from './group';
import type { Vertex } from './order';

/** From this height on, where it is so many times the width. */
const LEAST_HEIGHT = 6000;
/** The same for ops without a place of the program, as in a long list of statements: nothing but columns makes them a box. */
const LEAST_FLAT = 3000;
const LEAST_RATIO = 3;
/** How wide the columns together are to their height. */
const ASPECT = 1.5;
/** How far from its equal share a column may end, in shares of it, and what that costs against the edges that are cut. */
const SHORTER = 0.5;
const LONGER = 0.35;
const UNEVEN = 12;
/** How much longer than an equal share columns may be so that all but the last end alike, as those of equal rounds. */
const ALIKE = 1.15;
/** The first column is rather longer than its share: what follows can be as long, and then something is left for the last. */
const FIRST_SHORTER = 4;
/** How much less empty room another number of columns must leave, in shares of what is full, to be taken for the one that fits the aspect best. */
const EMPTIER = 0.15;
/** Edges that may go from one column to the next, where that does not leave it in one, or in few. */
const MOST_LANES = 40;
const LANE_GAP = 14;

/** What a column has: rows from one up to another, and how far it reaches sideways before it is moved. */
type Column = { first: number; end: number; least: number; most: number };
/** The rows of a group as one column from `top` to `bottom`; `tops` is where each begins. At most `lanes` edges may pass a break. */
type Stretch = {
  rows: readonly (readonly Vertex[])[];
  tops: readonly number[];
  top: number;
  bottom: number;
  lanes: number;
};

/** Sets where a group's rows are (`tops`), in one column or in several; `y` is where the last row ends as one column that begins at `top`. */
export function fold(
  group: Group,
  tops: number[],
  rows: readonly (readonly Vertex[])[],
  y: number,
  top: number,
): { least: number; most: number; bottom: number } {
  const shifts = rows.map(() => 0);
  group.shifts = shifts;
  const whole = columnOf(rows, 0, rows.length);
  const { least, most } = whole;
  const width = Math.max(1, most - least);
  const height = y - top;
  const count = Math.round(Math.sqrt((ASPECT * height) / width));
  if (height < (group.frame ? LEAST_HEIGHT : LEAST_FLAT) || height < LEAST_RATIO * width || count < 2)
    return { least, most, bottom: y };
  const stretch = { rows, tops, top, bottom: y, lanes: MOST_LANES };
  let breaks = bestBreaksOf(stretch, count);
  if (breaks.length + 2 < count) {
    // What each of many rounds gives to what follows them passes all later ones: a wide column has room for that beside it.
    const wider = { ...stretch, lanes: Math.max(MOST_LANES, Math.floor(width / 2 / LANE_GAP)) };
    const others = bestBreaksOf(wider, count);
    if (others.length > breaks.length) breaks = others;
  }
  if (breaks.length === 0) return { least, most, bottom: y };

  const { heights } = group;
  const turns = new Map<number, Turn>();
  group.turns = turns;
  let x = least;
  let lowest = top;
  let right = least;
  const ends = [...breaks, rows.length];
  let first = 0;
  let above: { column: Column; bottom: number; right: number } | null = null;
  for (const end of ends) {
    const column = columnOf(rows, first, end);
    const crossing = above ? crossingsOf(group, first) : [];
    const room = (crossing.length + 1) * LANE_GAP;
    if (above) x = above.right + room;
    const head = above ? top + room : top;
    const shift = x - column.least;
    const begin = tops[first]!;
    for (let row = first; row < end; row += 1) {
      shifts[row] = shift;
      tops[row] = tops[row]! - begin + head;
    }
    if (above) {
      turns.set(first, turnOf(crossing, above.bottom, above.right, head));
      lowest = Math.max(lowest, above.bottom + room);
    }
    const bottom = tops[end - 1]! + heights[end - 1]!;
    lowest = Math.max(lowest, bottom);
    right = x + column.most - column.least;
    above = { column, bottom, right };
    first = end;
  }
  return { least, most: right, bottom: lowest };
}

function columnOf(rows: readonly (readonly Vertex[])[], first: number, end: number): Column {
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (let row = first; row < end; row += 1) {
    for (const vertex of rows[row]!) {
      least = Math.min(least, vertex.x - vertex.left);
      most = Math.max(most, vertex.x + vertex.right);
    }
  }
  return { first, end, least, most };
}

/** The rows that begin columns, as many as fit the aspect, or one more or less: six long rounds fit well in threes or twos, not in four columns. */
function bestBreaksOf(stretch: Stretch, count: number): number[] {
  let best = breaksOf(stretch, count);
  let least = emptinessOf(best, stretch) - EMPTIER;
  for (const other of [count - 1, count + 1]) {
    if (other < 2 || least <= 0) continue;
    const breaks = breaksOf(stretch, other);
    const empty = emptinessOf(breaks, stretch);
    if (breaks.length === 0 || empty >= least) continue;
    best = breaks;
    least = empty;
  }
  return best;
}

/** The room that columns leave empty below them, in shares of what they hold. */
function emptinessOf(breaks: readonly number[], { tops, top, bottom }: Stretch): number {
  const begins = [top, ...breaks.map((row) => tops[row]!), bottom];
  const tallest = Math.max(...begins.slice(1).map((begin, i) => begin - begins[i]!));
  return (tallest * (breaks.length + 1)) / (bottom - top) - 1;
}

/** The rows that begin columns: near equal shares of the height, where few edges pass; the last takes what is left. */
function breaksOf({ rows, tops, top, bottom, lanes }: Stretch, count: number): number[] {
  const breaks: number[] = [];
  const equal = (bottom - top) / count;
  let begin = top;
  let row = 1;
  let tallest = 0;
  for (let left = count; left > 1; left -= 1) {
    // What earlier columns left over is shared out anew, so that the last one is no longer than the others.
    let share = (bottom - begin) / left;
    if (tallest > share && tallest <= ALIKE * equal) share = tallest;
    if (bottom - begin <= share) break;
    let best = -1;
    let least = Number.POSITIVE_INFINITY;
    for (; row < rows.length && tops[row]! - begin <= share * (1 + LONGER); row += 1) {
      const off = (tops[row]! - begin) / share - 1;
      const passing = rows[row]!.reduce((sum, { above }) => sum + above.length, 0);
      const cost =
        (passing * MOST_LANES) / lanes + UNEVEN * Math.abs(off) * (tallest === 0 && off < 0 ? FIRST_SHORTER : 1);
      if (off < -SHORTER || passing === 0 || passing > lanes || cost >= least) continue;
      best = row;
      least = cost;
    }
    // A row that is itself higher than a column, or too many edges: the rest stays one column.
    if (best < 0) break;
    breaks.push(best);
    tallest = Math.max(tallest, tops[best]! - begin);
    begin = tops[best]!;
    row = best + 1;
  }
  return breaks;
}

/** The links that come to a row or pass it from the row before, left to right. */
function crossingsOf(group: Group, row: number): Link[] {
  const found: { link: Link; x: number }[] = [];
  for (const wire of group.wires) {
    const { link, from, to, vertices } = wire;
    const first = from ? from.row + 1 : 0;
    if (first > row || (from === null && row === 0) || (to && to.row < row)) continue;
    const before = vertices[row - 1 - first];
    found.push({ link, x: before ? before.x : placeOf(wire) });
  }
  return found.sort((a, b) => a.x - b.x).map(({ link }) => link);
}

function placeOf({ link, from, before }: Wire): number {
  if (!from?.vertex) return 0;
  return from.vertex.x + (from.item ? from.item.outputs[link.output]!.x : (before?.rim ?? 0));
}

/** Lanes that do not cross: what comes from furthest left goes lowest below the foot and furthest right in the gutter. */
function turnOf(links: readonly Link[], bottom: number, right: number, head: number): Turn {
  const lanes = new Map(
    links.map((link, i) => {
      const outside = (links.length - i) * LANE_GAP;
      return [link, { foot: bottom + outside, gutter: right + outside, head: head - (i + 0.5) * LANE_GAP }];
    }),
  );
  return { lanes };
}
