// Lays out one chunk: a few hundred items in rows, placed once and for all relative to the chunk's corner.

import { type Frame, margin, reachOf, roomFor, settleFrames } from './frame';
import type { Item, Link } from './graph';
import { type Bond, orderRows, type Vertex } from './order';
import { rank } from './ranks';
import { course, type Pass } from './road';
import {
  CHIP_HEIGHT,
  GRAD_HEIGHT,
  GRADIENT_CHARS,
  HOOK_HEIGHT,
  LABEL_GAP,
  LANE,
  PILL_HEIGHT,
  PORT_GAP,
  SEED_HEIGHT,
  SMALL,
  width,
} from './size';
import { spread } from './spread';

const LEAST_GAP = 16;
const MOST_GAP = 80;
/** Edges run straight for this far before they enter a pill. */
const APPROACH = 8;
const LABEL_HEIGHT = 20;
/**
 * How strongly edges want to be straight: within long edges most, between ops more than from leaves.  An edge bends
 * only right above its user, so that the number beside it stands below its leaf.
 */
const PULL = { thread: 12, trunk: 6, branch: 1, leaf: 0.05, stem: 16 };

type Placed = { item: Item; vertex: Vertex; row: number };
type Thread = { link: Link; vertices: Vertex[] };

/**
 * Sets places of items and frames and courses of links; returns the size of the chunk.  `up` puts the inputs at the
 * bottom; such a chunk has no frames.
 */
export function layChunk(
  items: readonly Item[],
  frames: readonly Frame[],
  up: boolean,
): { width: number; height: number } {
  const trunks = trunksOf(items);
  const { rows, placed, threads } = layer(items, frames, trunks);
  orderRows(rows);
  for (const { item, vertex } of placed.values()) portsOf(item, vertex, trunks.get(item));
  for (const [item, wide] of margin(frames)) {
    const { vertex } = placed.get(item)!;
    vertex.left += wide;
    vertex.right += wide;
  }
  spread(rows);
  return draw(rows, placed, threads, frames, up);
}

function newVertex(row: number, left: number, right: number, isItem: boolean): Vertex {
  return { row, order: 0, x: 0, left, right, above: [], below: [], isItem };
}

function bond(upper: Vertex, lower: Vertex, upperX: number, lowerX: number, weight: number, stem = false): Bond {
  const made = { upper, lower, upperX, lowerX, weight, stem };
  upper.below.push(made);
  lower.above.push(made);
  return made;
}

/** The input of each item that goes on its trunk: the one op, or the one with the longest history; none where they are equal. */
function trunksOf(items: readonly Item[]): Map<Item, Link> {
  const depths = new Map<Item, number>();
  const trunks = new Map<Item, Link>();
  for (const item of items) {
    let deepest = -1;
    for (const input of item.inputs) {
      const depth = depths.get(input.from) ?? 0;
      if (input.from.kind !== 'op') continue;
      if (depth > deepest) trunks.set(item, input);
      else if (depth === deepest) trunks.delete(item);
      deepest = Math.max(deepest, depth);
    }
    depths.set(item, Math.max(0, ...item.inputs.map(({ from }) => depths.get(from) ?? 0)) + 1);
  }
  return trunks;
}

/** Vertices in rows, in the order in which a walk from the results up to the leaves first meets them. */
function layer(
  items: readonly Item[],
  frames: readonly Frame[],
  trunks: Map<Item, Link>,
): { rows: Vertex[][]; placed: Map<Item, Placed>; threads: Thread[] } {
  const ranks = rank(items, frames);
  const rows: Vertex[][] = Array.from({ length: Math.max(0, ...ranks.values()) + 1 }, () => []);
  const placed = new Map<Item, Placed>();
  const threads: Thread[] = [];
  const used = new Set<Item>();
  for (const item of items) for (const { from } of item.inputs) used.add(from);
  const stack: { item: Item; next: number }[] = [];
  const enter = (item: Item) => {
    if (placed.has(item)) return;
    const row = ranks.get(item)!;
    placed.set(item, { item, row, vertex: newVertex(row, item.left, item.right, true) });
    stack.push({ item, next: 0 });
  };
  for (const root of items) {
    if (used.has(root)) continue;
    enter(root);
    while (stack.length > 0) {
      const top = stack.at(-1)!;
      const input = visits(top.item)[top.next];
      if (input) {
        top.next += 1;
        enter(input.from);
        continue;
      }
      stack.pop();
      const { vertex, row } = placed.get(top.item)!;
      rows[row]!.push(vertex);
      for (const made of top.item.inputs) threads.push(thread(made, placed, rows, trunks));
    }
  }
  return { rows, placed, threads };
}

/** Leaves come before the trunk, so that they stand at its left, where its backward half takes no room. */
function visits(item: Item): Link[] {
  const trunks = item.inputs.filter((input) => input.from.kind === 'op');
  if (trunks.length !== 1) return item.inputs;
  return [...item.inputs.filter((input) => input.from.kind !== 'op'), ...trunks];
}

function thread(link: Link, placed: Map<Item, Placed>, rows: Vertex[][], trunks: Map<Item, Link>): Thread {
  const from = placed.get(link.from)!;
  const to = placed.get(link.to)!;
  const vertices: Vertex[] = [];
  let above = from.vertex;
  const trunk = trunks.get(link.to);
  const ends = link.from.kind !== 'op' ? PULL.leaf : trunk && trunk !== link ? PULL.branch : PULL.trunk;
  const long = to.row - from.row > 2;
  for (let row = from.row + 1; row < to.row; row += 1) {
    const hasLabel = link.labelled && row === (link.from.kind === 'op' ? to.row - 1 : from.row + 1);
    const right = LANE + 2 + (hasLabel ? LABEL_GAP + width(GRADIENT_CHARS, SMALL) : 0);
    const vertex = newVertex(row, LANE + 2, right, false);
    rows[row]!.push(vertex);
    const first = above === from.vertex;
    const stem = link.from.kind !== 'op' && first;
    const weight = stem ? PULL.stem : first || !long ? ends : PULL.thread;
    bond(above, vertex, first ? link.from.outputs[link.output]!.x : 0, 0, weight, stem);
    vertices.push(vertex);
    above = vertex;
  }
  bond(above, to.vertex, 0, 0, ends);
  return { link, vertices };
}

/** Spreads an item's ports over its pill in the order in which its edges arrive; its trunk enters in the middle. */
function portsOf(item: Item, vertex: Vertex, trunk: Link | undefined): void {
  const arriving = item.inputs.map((input, i) => ({ input, bond: vertex.above[i]! }));
  arriving.sort((a, b) => a.bond.upper.order - b.bond.upper.order);
  const room = item.pillLeft + item.pillRight - 24;
  const last = arriving.length - 1;
  const gap = last > 0 ? Math.min(PORT_GAP, room / last) : 0;
  const middle = trunk ? arriving.findIndex(({ input }) => input === trunk) : last / 2;
  const first = -middle * gap;
  const shift = Math.max(0, 12 - item.pillLeft - first) - Math.max(0, first + last * gap + 12 - item.pillRight);
  arriving.forEach(({ input, bond: at }, i) => {
    input.port = first + shift + i * gap;
    at.lowerX = input.port;
  });
}

function draw(
  rows: readonly Vertex[][],
  known: ReadonlyMap<Item, Placed>,
  threads: readonly Thread[],
  frames: readonly Frame[],
  up: boolean,
): { width: number; height: number } {
  const placed = [...known.values()];
  const room = roomFor(frames, (item) => known.get(item)!.row);
  const heights = rows.map(() => 0);
  for (const { item, row } of placed) heights[row] = Math.max(heights[row]!, item.height);
  for (const { link, vertices } of threads) {
    const labelled = link.from.kind === 'op' ? vertices.at(-1) : vertices[0];
    if (labelled && link.labelled) heights[labelled.row] = Math.max(heights[labelled.row]!, LABEL_HEIGHT);
  }
  const tops: number[] = [];
  let y = 0;
  rows.forEach((row, i) => {
    const [above, below] = room.get(i) ?? [0, 0];
    y += above;
    tops.push(y);
    let run = 0;
    for (const vertex of row) {
      for (const { lower, upperX, lowerX } of vertex.below) {
        run = Math.max(run, Math.abs(vertex.x + upperX - lower.x - lowerX));
      }
    }
    y += heights[i]! + below + (i === rows.length - 1 ? 0 : gapFor(run, i));
  });
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  const rim = Math.max(0, ...frames.map(reachOf));
  for (const vertex of rows.flat()) {
    least = Math.min(least, vertex.x - vertex.left - rim);
    most = Math.max(most, vertex.x + vertex.right + rim);
  }
  for (const { item, vertex, row } of placed) {
    item.x = vertex.x - least;
    item.y = tops[row]! + heights[row]! - item.height;
  }
  for (const { link, vertices } of threads) {
    const passes: Pass[] = vertices.map((vertex) => ({
      x: vertex.x - least,
      top: tops[vertex.row]!,
      bottom: tops[vertex.row]! + heights[vertex.row]!,
    }));
    const { from, to } = link;
    const x0 = from.x + from.outputs[link.output]!.x;
    const bottom = from.y + from.height - (from.seed ? SEED_HEIGHT : 0);
    const start: Pass = { x: x0, top: startOf(from), bottom };
    const row = vertices.at(-1)!.row + 1;
    link.points = course(start, passes, { x: to.x + link.port, top: tops[row]! - APPROACH, bottom: to.y + to.pillTop });
    const at = (from.kind === 'op' ? passes.at(-1) : passes[0])!;
    link.labelX = at.x;
    link.labelY = (at.top + at.bottom) / 2;
  }
  if (up) flip(placed, threads, y);
  const items = new Map(placed.map(({ item, vertex }) => [vertex, item]));
  settleFrames(
    frames,
    rows.map((row) => row.map((vertex) => items.get(vertex) ?? null)),
    threads.map(({ link }) => link),
  );
  return { width: rows.length === 0 ? 0 : most - least, height: y };
}

/** Room between two rows for edges that run sideways; a bend needs room mostly above the row of its user. */
function gapFor(run: number, row: number): number {
  return row % 2 === 0 ? Math.min(MOST_GAP, run * 0.2) : Math.min(MOST_GAP, LEAST_GAP + APPROACH + run * 0.22);
}

/** Where an edge leaves its producer: the lower rim of the pill or card. */
function startOf(item: Item): number {
  if (item.kind === 'op') return item.y + item.pillTop + PILL_HEIGHT;
  if (item.kind !== 'leaf') return item.y + item.height;
  return item.y + item.body + (item.requiresGrad ? GRAD_HEIGHT : 0);
}

function flip(placed: readonly Placed[], threads: readonly Thread[], height: number): void {
  for (const { item } of placed) {
    item.y = height - item.y - item.height;
    for (const chip of item.chips) chip.y = item.height - chip.y - CHIP_HEIGHT;
    for (const hook of item.hooks) hook.y = item.height - hook.y - HOOK_HEIGHT;
    if (item.kind === 'op') item.pillTop = item.height - item.pillTop - PILL_HEIGHT;
    else if (item.kind === 'leaf') item.pillTop = item.height - item.body - (item.requiresGrad ? GRAD_HEIGHT : 0);
  }
  for (const { link } of threads) {
    for (let i = 1; i < link.points.length; i += 2) link.points[i] = height - link.points[i]!;
    link.labelY = height - link.labelY;
  }
}
