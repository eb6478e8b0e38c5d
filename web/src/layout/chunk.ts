// Lays out one chunk: a few hundred items in rows, placed once and for all relative to the chunk's corner.

import type { Item, Link } from './graph';
import { type Bond, orderRows, type Vertex } from './order';
import { rank } from './ranks';
import { course, type Pass } from './road';
import {
  CARD_BODY,
  CHIP_HEIGHT,
  DECK_MOST,
  DECK_STEP,
  GRAD_HEIGHT,
  GRADIENT_CHARS,
  LABEL_GAP,
  LANE,
  PILL_HEIGHT,
  PORT_GAP,
  SEED_HEIGHT,
  SMALL,
  width,
} from './size';
import { spread } from './spread';

const LEAST_GAP = 14;
const MOST_GAP = 64;
const LABEL_HEIGHT = 20;
/** How strongly edges want to be straight: within long edges most, between ops more than from leaves. */
const PULL = { thread: 12, trunk: 6, leaf: 1 };

type Placed = { item: Item; vertex: Vertex; row: number };
type Thread = { link: Link; vertices: Vertex[] };

/** Sets places of items and courses of links; returns the size of the chunk.  `up` puts the inputs at the bottom. */
export function layChunk(items: readonly Item[], up: boolean): { width: number; height: number } {
  const { rows, placed, threads } = layer(items);
  orderRows(rows);
  for (const { item, vertex } of placed.values()) portsOf(item, vertex);
  spread(rows);
  return draw(rows, [...placed.values()], threads, up);
}

function newVertex(row: number, left: number, right: number, isItem: boolean): Vertex {
  return { row, order: 0, x: 0, left, right, above: [], below: [], isItem };
}

function bond(upper: Vertex, lower: Vertex, upperX: number, lowerX: number, weight: number): Bond {
  const made = { upper, lower, upperX, lowerX, weight };
  upper.below.push(made);
  lower.above.push(made);
  return made;
}

/** Vertices in rows, in the order in which a walk from the results up to the leaves first meets them. */
function layer(items: readonly Item[]): { rows: Vertex[][]; placed: Map<Item, Placed>; threads: Thread[] } {
  const ranks = rank(items);
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
      const input = top.item.inputs[top.next];
      if (input) {
        top.next += 1;
        enter(input.from);
        continue;
      }
      stack.pop();
      const { vertex, row } = placed.get(top.item)!;
      rows[row]!.push(vertex);
      for (const made of top.item.inputs) threads.push(thread(made, placed, rows));
    }
  }
  return { rows, placed, threads };
}

function thread(link: Link, placed: Map<Item, Placed>, rows: Vertex[][]): Thread {
  const from = placed.get(link.from)!;
  const to = placed.get(link.to)!;
  const vertices: Vertex[] = [];
  let above = from.vertex;
  const ends = link.from.kind === 'op' ? PULL.trunk : PULL.leaf;
  const long = to.row - from.row > 2;
  for (let row = from.row + 1; row < to.row; row += 1) {
    const hasLabel = link.labelled && row === to.row - 1;
    const right = LANE + 2 + (hasLabel ? LABEL_GAP + width(GRADIENT_CHARS, SMALL) : 0);
    const vertex = newVertex(row, LANE + 2, right, false);
    rows[row]!.push(vertex);
    const first = above === from.vertex;
    bond(above, vertex, first ? link.from.outputs[link.output]!.x : 0, 0, first || !long ? ends : PULL.thread);
    vertices.push(vertex);
    above = vertex;
  }
  bond(above, to.vertex, 0, 0, ends);
  return { link, vertices };
}

/** Spreads an item's ports over its pill in the order in which its edges arrive. */
function portsOf(item: Item, vertex: Vertex): void {
  const arriving = item.inputs.map((input, i) => ({ input, bond: vertex.above[i]! }));
  arriving.sort((a, b) => a.bond.upper.order - b.bond.upper.order);
  const room = item.pillLeft + item.pillRight - 24;
  const gap = arriving.length > 1 ? Math.min(PORT_GAP, room / (arriving.length - 1)) : 0;
  const half = ((arriving.length - 1) * gap) / 2;
  const middle = Math.max(half - item.pillLeft + 12, Math.min(0, item.pillRight - 12 - half));
  arriving.forEach(({ input, bond: at }, i) => {
    input.port = middle - half + i * gap;
    at.lowerX = input.port;
  });
}

function draw(
  rows: readonly Vertex[][],
  placed: readonly Placed[],
  threads: readonly Thread[],
  up: boolean,
): { width: number; height: number } {
  const heights = rows.map(() => 0);
  for (const { item, row } of placed) heights[row] = Math.max(heights[row]!, item.height);
  for (const { link, vertices } of threads) {
    const last = vertices.at(-1);
    if (last && link.labelled) heights[last.row] = Math.max(heights[last.row]!, LABEL_HEIGHT);
  }
  const tops: number[] = [];
  let y = 0;
  rows.forEach((row, i) => {
    tops.push(y);
    let run = 0;
    for (const vertex of row) {
      for (const { lower, upperX, lowerX } of vertex.below) {
        run = Math.max(run, Math.abs(vertex.x + upperX - lower.x - lowerX));
      }
    }
    y += heights[i]! + (i === rows.length - 1 ? 0 : Math.min(MOST_GAP, Math.max(LEAST_GAP, run * 0.2)));
  });
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (const vertex of rows.flat()) {
    least = Math.min(least, vertex.x - vertex.left);
    most = Math.max(most, vertex.x + vertex.right);
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
    const end: Pass = { x: to.x + link.port, top: tops[placedRow(vertices, to, placed)]!, bottom: to.y + to.pillTop };
    link.points = course(start, passes, end);
    const last = passes.at(-1) ?? end;
    link.labelX = last.x;
    link.labelY = (last.top + last.bottom) / 2;
  }
  if (up) flip(placed, threads, y);
  return { width: rows.length === 0 ? 0 : most - least, height: y };
}

function placedRow(vertices: readonly Vertex[], to: Item, placed: readonly Placed[]): number {
  const last = vertices.at(-1);
  return last ? last.row + 1 : placed.find((entry) => entry.item === to)!.row;
}

/** Where an edge leaves its producer: the lower rim of the pill or card. */
function startOf(item: Item): number {
  if (item.kind === 'op') return item.y + item.pillTop + PILL_HEIGHT;
  if (item.kind !== 'leaf') return item.y + item.height;
  return item.y + CARD_BODY + (item.requiresGrad ? GRAD_HEIGHT : 0);
}

function flip(placed: readonly Placed[], threads: readonly Thread[], height: number): void {
  for (const { item } of placed) {
    item.y = height - item.y - item.height;
    for (const chip of item.chips) chip.y = item.height - chip.y - CHIP_HEIGHT;
    if (item.kind === 'op') item.pillTop = item.height - item.pillTop - PILL_HEIGHT;
    else if (item.kind === 'leaf' && item.requiresGrad) item.pillTop = DECK_STEP * DECK_MOST;
  }
  for (const { link } of threads) {
    for (let i = 1; i < link.points.length; i += 2) link.points[i] = height - link.points[i]!;
    link.labelY = height - link.labelY;
  }
}
