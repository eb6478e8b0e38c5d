// The order of vertices within their rows, chosen for few crossings of edges.

/** A vertex of the layered graph: an item, or the place where a long edge passes a row. */
export type Vertex = {
  row: number;
  order: number;
  x: number;
  left: number;
  right: number;
  /** Neighbours in the row above and below, with the offsets at which their edges meet. */
  above: Bond[];
  below: Bond[];
  isItem: boolean;
  isOp: boolean;
  /** A group, which is laid out already: its edges meet it where they do; those of an item are spread as they come. */
  isGroup: boolean;
  /** What is beside an op at its left: from where to where, how far above its row, and how far above its foot it ends; the numbers begin at `near`. */
  side: Side | null;
  /** The column of what is stacked that it is of, or comes from; else -1. */
  column: number;
};

/** From the spine to the left: `near` to `far`; `own` is how far the op itself reaches with its labels. */
export type Side = { own: number; near: number; far: number; rise: number; foot: number; numbers: number };

/** One segment of an edge between neighbouring rows; offsets from the spines of its ends.  A stem comes out of a leaf. */
export type Bond = { upper: Vertex; lower: Vertex; upperX: number; lowerX: number; weight: number; stem: boolean };

/** A vertex without edges, which is in its row from `left` to `right` of its spine. */
export function newVertex(row: number, left: number, right: number, isItem: boolean, column: number): Vertex {
  return {
    row,
    order: 0,
    x: 0,
    left,
    right,
    above: [],
    below: [],
    isItem,
    isOp: false,
    isGroup: false,
    side: null,
    column,
  };
}

/** Ties a vertex to one in a row below it. */
export function bond(upper: Vertex, lower: Vertex, upperX: number, lowerX: number, weight: number, stem = false): Bond {
  const made: Bond = { upper, lower, upperX, lowerX, weight, stem };
  upper.below.push(made);
  lower.above.push(made);
  return made;
}

const SWEEPS = 8;
/** Other beginnings that are tried where edges still cross, as far as that many vertices may be sorted for it. */
const MOST_TRIES = 16;
const MOST_SORTED = 20_000;
/** Edges of one group beyond which their order among themselves is left as it is. */
const MOST_AT_A_GROUP = 40;

/** Orders each row in place; `thorough` where there is time to look for the fewest crossings. */
export function orderRows(rows: Vertex[][], thorough = false): void {
  for (const row of rows) renumber(row);
  const crossing = crossings(rows);
  if (crossing === 0) return;
  const first = copied(rows);
  let best = sweep(rows, { crossings: crossing, rows: first }, true);
  const size = rows.reduce((sum, row) => sum + row.length, 0);
  const tries = thorough ? Math.min(MOST_TRIES, Math.floor(MOST_SORTED / (SWEEPS * size))) : 0;
  const random = randomly();
  for (let i = 0; i < tries && best.crossings > 0; i += 1) {
    // From all anew, and from the best so far with some of it exchanged, in turn.
    if (i % 2 === 0) take(rows, first, (row) => shuffle(row, row.length, random));
    else take(rows, best.rows, (row) => shuffle(row, Math.ceil(row.length / 6), random));
    best = sweep(rows, best, i % 4 < 2);
  }
  take(rows, best.rows);
}

type Ordered = { crossings: number; rows: readonly (readonly Vertex[])[] };

/** Sorts rows down and up in turn; returns the order with the fewest crossings, that of before or one on the way. */
function sweep(rows: Vertex[][], before: Ordered, downFirst: boolean): Ordered {
  let best = before;
  for (let turn = 0; turn < SWEEPS && best.crossings > 0; turn += 1) {
    const down = (turn % 2 === 0) === downFirst;
    for (let i = 1; i < rows.length; i += 1) {
      const row = down ? rows[i]! : rows[rows.length - 1 - i]!;
      sortByNeighbours(row, down);
    }
    transpose(rows);
    const now = crossings(rows);
    if (now < best.crossings) best = { crossings: now, rows: copied(rows) };
  }
  return best;
}

function copied(rows: readonly (readonly Vertex[])[]): Vertex[][] {
  return rows.map((row) => row.slice());
}

/** Gives rows the order of others, changed by `change`. */
function take(
  rows: Vertex[][],
  others: readonly (readonly Vertex[])[],
  change: (row: Vertex[]) => void = () => {},
): void {
  rows.forEach((row, i) => {
    row.splice(0, row.length, ...others[i]!);
    change(row);
    renumber(row);
  });
}

/** Numbers from 0 to below 1, the same every time, so that a graph always looks alike. */
function randomly(): () => number {
  let state = 7;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

/** Exchanges `count` vertices of a row for others: each in its turn, or some anywhere. */
function shuffle(row: Vertex[], count: number, random: () => number): void {
  for (let i = 0; i < count; i += 1) {
    const at = count < row.length ? Math.floor(random() * row.length) : i;
    const other = Math.floor(random() * row.length);
    [row[at], row[other]] = [row[other]!, row[at]!];
  }
}

function renumber(row: Vertex[]): void {
  row.forEach((vertex, i) => {
    vertex.order = i;
  });
}

function sortByNeighbours(row: Vertex[], down: boolean): void {
  const keys = new Map<Vertex, number>();
  for (const vertex of row) {
    const bonds = down ? vertex.above : vertex.below;
    let sum = 0;
    for (const bond of bonds) {
      const other = down ? bond.upper : bond.lower;
      sum += other.order + (down ? bond.upperX : bond.lowerX) * 1e-4;
    }
    keys.set(vertex, bonds.length > 0 ? sum / bonds.length : -1);
  }
  // Vertices without neighbours keep their places; the others are sorted among the rest.
  const free = row.filter((vertex) => keys.get(vertex)! >= 0).sort((a, b) => keys.get(a)! - keys.get(b)!);
  let next = 0;
  for (let i = 0; i < row.length; i += 1) if (keys.get(row[i]!)! >= 0) row[i] = free[next++]!;
  renumber(row);
}

function pairCrossings(a: readonly Bond[], b: readonly Bond[], side: 'upper' | 'lower'): number {
  let count = 0;
  for (const one of a) {
    for (const two of b) {
      const [end, other] = [one[side], two[side]];
      if (end === other ? end.isGroup && offsetOf(one, side) > offsetOf(two, side) : end.order > other.order)
        count += 1;
    }
  }
  return count;
}

function offsetOf({ upperX, lowerX }: Bond, side: 'upper' | 'lower'): number {
  return side === 'upper' ? upperX : lowerX;
}

/** How often edges of one group cross because they meet it in another order than they come in. */
function crossingsAt(bonds: readonly Bond[], side: 'upper' | 'lower'): number {
  if (bonds.length > MOST_AT_A_GROUP) return 0;
  const far = side === 'upper' ? 'lower' : 'upper';
  let count = 0;
  for (let i = 1; i < bonds.length; i += 1) {
    for (let k = 0; k < i; k += 1) {
      const [one, two] = [bonds[i]!, bonds[k]!];
      const apart = one[far].order - two[far].order;
      if (apart * (offsetOf(one, side) - offsetOf(two, side)) < 0) count += 1;
    }
  }
  return count;
}

function transpose(rows: Vertex[][]): void {
  for (let again = true, turns = 0; again && turns < 4; turns += 1) {
    again = false;
    for (const row of rows) {
      for (let i = 0; i + 1 < row.length; i += 1) {
        const a = row[i]!;
        const b = row[i + 1]!;
        const now = pairCrossings(a.above, b.above, 'upper') + pairCrossings(a.below, b.below, 'lower');
        if (now === 0) continue;
        const then = pairCrossings(b.above, a.above, 'upper') + pairCrossings(b.below, a.below, 'lower');
        if (then >= now) continue;
        row[i] = b;
        row[i + 1] = a;
        b.order = i;
        a.order = i + 1;
        again = true;
      }
    }
  }
}

/** How often edges cross between all neighbouring rows. */
export function crossings(rows: readonly Vertex[][]): number {
  let total = 0;
  for (let i = 1; i < rows.length; i += 1) total += crossingsAbove(rows[i]!, rows[i - 1]!.length);
  for (const row of rows) {
    for (const { isGroup, above, below } of row) {
      if (isGroup) total += crossingsAt(above, 'lower') + crossingsAt(below, 'upper');
    }
  }
  return total;
}

function crossingsAbove(row: readonly Vertex[], aboveLength: number): number {
  // Counts, for edges in the order of their lower ends, how many earlier ones end further right: a Fenwick tree.
  const tree = new Int32Array(aboveLength + 1);
  let seen = 0;
  let total = 0;
  for (const vertex of row) {
    const ends = vertex.above.map((bond) => bond.upper.order);
    for (const end of ends) {
      let notRight = 0;
      for (let k = end + 1; k > 0; k -= k & -k) notRight += tree[k]!;
      total += seen - notRight;
    }
    for (const end of ends) {
      for (let k = end + 1; k <= aboveLength; k += k & -k) tree[k]! += 1;
      seen += 1;
    }
  }
  return total;
}
