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
};

/** One segment of an edge between neighbouring rows; offsets from the spines of its ends.  A stem comes out of a leaf. */
export type Bond = { upper: Vertex; lower: Vertex; upperX: number; lowerX: number; weight: number; stem: boolean };

const SWEEPS = 8;

/** Orders each row in place. */
export function orderRows(rows: Vertex[][]): void {
  for (const row of rows) renumber(row);
  let best = crossings(rows);
  let kept = rows.map((row) => row.slice());
  for (let sweep = 0; sweep < SWEEPS && best > 0; sweep += 1) {
    const down = sweep % 2 === 0;
    for (let i = 1; i < rows.length; i += 1) {
      const row = down ? rows[i]! : rows[rows.length - 1 - i]!;
      sortByNeighbours(row, down);
    }
    transpose(rows);
    const now = crossings(rows);
    if (now < best) {
      best = now;
      kept = rows.map((row) => row.slice());
    }
  }
  rows.forEach((row, i) => {
    row.splice(0, row.length, ...kept[i]!);
    renumber(row);
  });
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
  for (const one of a) for (const two of b) if (one[side].order > two[side].order) count += 1;
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
