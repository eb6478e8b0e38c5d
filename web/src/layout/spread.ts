// Horizontal places: each row keeps its order and distances, and is moved so that edges run straight.

import type { Vertex } from './order';

const GAP = 28;
const THREAD_GAP = 20;
/** An even number: the last sweep goes up, so that what stands above follows what it leads to. */
const SWEEPS = 8;
const STEM = 0.05;
const KEEP = 1000;
const PREFERENCE = 2;

type Pull = { at: number; weight: number };
type Block = { pulls: Pull[]; place: number; count: number };

/** Sets `x` of every vertex; rows must be in order. */
export function spread(rows: readonly Vertex[][]): void {
  for (const row of rows) {
    let x = 0;
    row.forEach((vertex, i) => {
      const before = row[i - 1];
      x = before ? x + distance(before, vertex) : vertex.left;
      vertex.x = x;
    });
    const middle = x / 2;
    for (const vertex of row) vertex.x -= middle;
  }
  for (let sweep = 0; sweep < SWEEPS; sweep += 2) {
    let moved = false;
    for (const row of rows) if (settle(row, pullsFromAbove)) moved = true;
    for (let i = rows.length - 1; i >= 0; i -= 1) if (settle(rows[i]!, pullsFromBelow)) moved = true;
    // What moved nothing moves nothing the next time.
    if (!moved) break;
  }
  for (const row of rows) settle(row, pullsFromBoth);
  for (let i = rows.length - 1; i >= 0; i -= 1) settle(rows[i]!, pullsOfLeaves);
  for (const row of rows) if (row.some((vertex) => !vertex.isItem)) settle(row, pullsOfStems);
}

/** The least distance of two neighbours' spines. */
export function distance(a: Vertex, b: Vertex): number {
  return a.right + (a.isItem || b.isItem ? GAP : THREAD_GAP) + b.left;
}

/**
 * Moves a row to the places that minimise the weighted sideways run of its edges, by pooling neighbours that would
 * otherwise come too near (isotonic regression under absolute differences); tells whether anything moved.
 */
function settle(row: readonly Vertex[], pullsOf: (vertex: Vertex) => Pull[]): boolean {
  if (row.length === 1) {
    const only = row[0]!;
    const pulls = pullsOf(only);
    return pulls.length > 0 && move(only, median(pulls));
  }
  const blocks: Block[] = [];
  let offset = 0;
  const offsets: number[] = [];
  row.forEach((vertex, i) => {
    const before = row[i - 1];
    if (before) offset += distance(before, vertex);
    offsets.push(offset);
    const pulls = pullsOf(vertex);
    for (const pull of pulls) pull.at -= offset;
    // A vertex that nothing pulls stays where it is, but gives way.
    if (pulls.length === 0) pulls.push({ at: vertex.x - offset, weight: 0.01 });
    blocks.push({ pulls, place: median(pulls), count: 1 });
    while (blocks.length > 1 && blocks.at(-1)!.place < blocks.at(-2)!.place) {
      const last = blocks.pop()!;
      const pooled = blocks.at(-1)!;
      pooled.pulls.push(...last.pulls);
      pooled.count += last.count;
      pooled.place = median(pooled.pulls);
    }
  });
  let i = 0;
  let moved = false;
  for (const block of blocks) {
    for (let k = 0; k < block.count; k += 1, i += 1) if (move(row[i]!, block.place + offsets[i]!)) moved = true;
  }
  return moved;
}

function move(vertex: Vertex, x: number): boolean {
  const moved = vertex.x !== x;
  vertex.x = x;
  return moved;
}

function pullsFromAbove(vertex: Vertex): Pull[] {
  return vertex.above.map(({ upper, upperX, lowerX, weight }) => ({ at: upper.x + upperX - lowerX, weight }));
}

/** Leaves follow their users, but never push a trunk aside. */
function pullsFromBelow(vertex: Vertex): Pull[] {
  return vertex.below.map(({ lower, upperX, lowerX, weight, stem }) => ({
    at: lower.x + lowerX - upperX,
    weight: stem ? STEM : weight,
  }));
}

/** A chain that had to give way somewhere goes on straight from there. */
function pullsFromBoth(vertex: Vertex): Pull[] {
  const above = pullsFromAbove(vertex).map(({ at, weight }) => ({ at, weight: weight * PREFERENCE }));
  return [...above, ...pullsFromBelow(vertex)];
}

/** Leaves follow their users once more; all else stays. */
function pullsOfLeaves(vertex: Vertex): Pull[] {
  const isLeaf = vertex.isItem ? vertex.above.length === 0 : vertex.above.some(({ stem }) => stem);
  return isLeaf ? pullsFromBelow(vertex) : [{ at: vertex.x, weight: KEEP }];
}

/** Edges of leaves go straight down first; all else stays. */
function pullsOfStems(vertex: Vertex): Pull[] {
  if (vertex.above.some(({ stem }) => stem)) return pullsFromAbove(vertex);
  return [{ at: vertex.x, weight: KEEP }];
}

/** The middle of the interval of places with the least weighted distance. */
function median(pulls: Pull[]): number {
  if (pulls.length === 1) return pulls[0]!.at;
  pulls.sort((a, b) => a.at - b.at);
  let total = 0;
  for (const { weight } of pulls) total += weight;
  let sum = 0;
  for (let i = 0; i < pulls.length; i += 1) {
    const { at, weight } = pulls[i]!;
    sum += weight;
    if (Math.abs(sum - total / 2) < 1e-9) return (at + (pulls[i + 1]?.at ?? at)) / 2;
    if (sum > total / 2) return at;
  }
  return pulls[pulls.length - 1]!.at;
}
