// Horizontal places: each row keeps its order and distances, and is moved so that edges run straight.

import { Barycenters } from './barycenter';
import type { Vertex } from './order';

const GAP = 28;
const THREAD_GAP = 20;
/** An even number: the last sweep goes up, so that what is above follows what it leads to. */
const SWEEPS = 8;
const STEM = 0.05;
const KEEP = 1000;
const PREFERENCE = 2;

const barycenters = new Barycenters();
/** Vertices of the row that is settled, which move together: where each such block begins, in the row and among the barycenters. */
const blocks: { vertex: number; pull: number; place: number }[] = [];

/** Sets `x` of every vertex; rows must be in order. */
export function spread(rows: readonly Vertex[][]): void {
  for (const row of rows) {
    let x = 0;
    for (let i = 0; i < row.length; i += 1) {
      const vertex = row[i]!;
      x = i > 0 ? x + distance(row[i - 1]!, vertex) : vertex.left;
      vertex.x = x;
    }
    const middle = x / 2;
    for (const vertex of row) vertex.x -= middle;
  }
  for (let sweep = 0; sweep < SWEEPS; sweep += 2) {
    let moved = false;
    for (const row of rows) if (settle(row, pullFromAbove)) moved = true;
    for (let i = rows.length - 1; i >= 0; i -= 1) if (settle(rows[i]!, pullFromBelow)) moved = true;
    // What moved nothing moves nothing the next time.
    if (!moved) break;
  }
  for (const row of rows) settle(row, pullFromBoth);
  for (let i = rows.length - 1; i >= 0; i -= 1) settle(rows[i]!, pullOfLeaves);
  for (const row of rows) if (row.some((vertex) => !vertex.isItem)) settle(row, pullOfStems);
}

/** The least distance of two neighbours' spines. */
export function distance(a: Vertex, b: Vertex): number {
  return a.right + (a.isItem || b.isItem ? GAP : THREAD_GAP) + b.left;
}

/**
 * Moves a row to the places that minimise the weighted sideways run of its edges, by pooling neighbours that would
 * otherwise come too near (isotonic regression under absolute differences); returns whether anything moved.
 */
function settle(row: readonly Vertex[], pull: (vertex: Vertex) => void): boolean {
  let offset = 0;
  let count = 0;
  barycenters.count = 0;
  for (let i = 0; i < row.length; i += 1) {
    const vertex = row[i]!;
    if (i > 0) offset += distance(row[i - 1]!, vertex);
    const first = barycenters.count;
    pull(vertex);
    // A vertex that nothing attracts stays where it is, but gives way.
    if (barycenters.count === first) barycenters.add(vertex.x, 0.01);
    barycenters.order(first, -offset);
    if (count === blocks.length) blocks.push({ vertex: 0, pull: 0, place: 0 });
    let last = blocks[count]!;
    last.vertex = i;
    last.pull = first;
    last.place = barycenters.median(first, barycenters.count);
    count += 1;
    while (count > 1 && last.place < blocks[count - 2]!.place) {
      const pooled = blocks[count - 2]!;
      barycenters.merge(pooled.pull, last.pull, barycenters.count);
      pooled.place = barycenters.median(pooled.pull, barycenters.count);
      last = pooled;
      count -= 1;
    }
  }
  let moved = false;
  offset = 0;
  for (let i = 0, block = 0; i < row.length; i += 1) {
    const vertex = row[i]!;
    if (i > 0) offset += distance(row[i - 1]!, vertex);
    if (block + 1 < count && blocks[block + 1]!.vertex === i) block += 1;
    const x = blocks[block]!.place + offset;
    if (vertex.x !== x) moved = true;
    vertex.x = x;
  }
  return moved;
}

function pullFromAbove({ above }: Vertex, preference = 1): void {
  for (let i = 0; i < above.length; i += 1) {
    const { upper, upperX, lowerX, weight } = above[i]!;
    barycenters.add(upper.x + upperX - lowerX, weight * preference);
  }
}

/** Leaves follow their users, but never push a trunk aside. */
function pullFromBelow({ below }: Vertex): void {
  for (let i = 0; i < below.length; i += 1) {
    const { lower, upperX, lowerX, weight, stem } = below[i]!;
    barycenters.add(lower.x + lowerX - upperX, stem ? STEM : weight);
  }
}

/** A chain that had to give way somewhere goes on straight from there. */
function pullFromBoth(vertex: Vertex): void {
  pullFromAbove(vertex, PREFERENCE);
  pullFromBelow(vertex);
}

/** Leaves follow their users once more; all else stays. */
function pullOfLeaves(vertex: Vertex): void {
  const isLeaf = vertex.isItem ? vertex.above.length === 0 : isStem(vertex);
  if (isLeaf) pullFromBelow(vertex);
  else barycenters.add(vertex.x, KEEP);
}

/** Edges of leaves go straight down first; all else stays. */
function pullOfStems(vertex: Vertex): void {
  if (isStem(vertex)) pullFromAbove(vertex);
  else barycenters.add(vertex.x, KEEP);
}

function isStem({ above }: Vertex): boolean {
  for (let i = 0; i < above.length; i += 1) if (above[i]!.stem) return true;
  return false;
}
