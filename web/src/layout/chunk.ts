// Lays out one chunk: its groups one by one, the inner ones first, then their places and the courses of links.

import { fold } from './fold';
import { FRAME_FOOTER, FRAME_HEADER, FRAME_PAD, nameWidth, title } from './frame';
import type { Item, Link } from './graph';
import type { Group, Grouping, Lane, Member, Wire } from './group';
import { type Bond, orderRows, type Vertex } from './order';
import type { Rect } from './rect';
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

/** Items of a chunk up to which there is time to look for the fewest crossings. */
const FEW = 600;
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

type Size = { width: number; height: number };
type Trunks = ReadonlyMap<Item, Link>;

/** Sets places of items and frames and courses of links; returns the size of the chunk.  `up` puts the inputs at the bottom. */
export function* layChunk(grouping: Grouping, up: boolean): Generator<void, Size> {
  const { groups, root, routes } = grouping;
  const trunks = trunksOf(grouping.items);
  for (const group of groups.toReversed()) {
    layGroup(group, trunks, grouping.items.length <= FEW);
    yield;
  }
  for (const group of groups) {
    settle(group);
    yield;
  }
  for (const [link, route] of routes) {
    draw(link, route);
    if (link.from.kind === 'op') yield;
  }
  if (up) flip(grouping, root.height);
  for (const link of routes.keys()) link.rect = roomOf(link.points);
  return { width: root.width, height: root.height };
}

/** The input of each item that goes on its trunk: the one op, or the one with the longest history; none where they are equal. */
function trunksOf(items: readonly Item[]): Trunks {
  const depths = new Map<Item, number>();
  const trunks = new Map<Item, Link>();
  for (const item of items) {
    let deepest = -1;
    let history = 0;
    for (const input of item.inputs) {
      const depth = depths.get(input.from) ?? 0;
      history = Math.max(history, depth);
      if (input.from.kind !== 'op') continue;
      if (depth > deepest) trunks.set(item, input);
      else if (depth === deepest) trunks.delete(item);
      deepest = Math.max(deepest, depth);
    }
    depths.set(item, history + 1);
  }
  return trunks;
}

function layGroup(group: Group, trunks: Trunks, isSmall: boolean): void {
  const rows = rowsOf(group, trunks);
  orderRows(rows, isSmall);
  for (const member of group.members) if (member.item) portsOf(member, trunks.get(member.item));
  spread(rows);
  measure(group, rows);
}

function newVertex(row: number, left: number, right: number, isItem: boolean): Vertex {
  return { row, order: 0, x: 0, left, right, above: [], below: [], isItem };
}

function bond(upper: Vertex, lower: Vertex, upperX: number, lowerX: number, weight: number, stem = false): void {
  const made: Bond = { upper, lower, upperX, lowerX, weight, stem };
  upper.below.push(made);
  lower.above.push(made);
}

/** Vertices in rows, in the order in which a walk from the results up to the leaves first meets them. */
function rowsOf(group: Group, trunks: Trunks): Vertex[][] {
  const rows: Vertex[][] = Array.from({ length: group.rows }, () => []);
  const stack: { member: Member; ins: Wire[]; next: number }[] = [];
  const enter = (member: Member): void => {
    if (member.vertex) return;
    member.vertex = newVertex(member.row, member.left, member.right, true);
    stack.push({ member, ins: visits(member), next: 0 });
  };
  for (const root of group.members) {
    if (root.outs.some(({ to }) => to)) continue;
    enter(root);
    while (stack.length > 0) {
      const top = stack.at(-1)!;
      const input = top.ins[top.next];
      if (input) {
        top.next += 1;
        if (input.from) enter(input.from);
        continue;
      }
      stack.pop();
      const { member } = top;
      rows[member.row]!.push(member.vertex!);
      for (const wire of member.ins) thread(wire, rows, trunks);
      for (const wire of member.outs) if (!wire.to) thread(wire, rows, trunks);
    }
  }
  return rows;
}

/** Leaves come before the trunk, so that they stand at its left, where its backward half takes no room. */
function visits({ ins }: Member): Wire[] {
  const isTrunk = ({ link }: Wire) => link.from.kind === 'op';
  if (ins.filter(isTrunk).length !== 1) return ins;
  return [...ins.filter((wire) => !isTrunk(wire)), ...ins.filter(isTrunk)];
}

function thread(wire: Wire, rows: Vertex[][], trunks: Trunks): void {
  const { link, from, to, vertices } = wire;
  const isLeaf = link.from.kind !== 'op';
  const trunk = trunks.get(link.to);
  const ends = isLeaf ? PULL.leaf : trunk && trunk !== link ? PULL.branch : PULL.trunk;
  const first = from ? from.row + 1 : 0;
  const last = to ? to.row : rows.length;
  const long = last - first > 1;
  let above = from?.vertex ?? null;
  for (let row = first; row < last; row += 1) {
    const hasLabel = wire.labelled && row === (isLeaf ? first : last - 1);
    const right = LANE + 2 + (hasLabel ? LABEL_GAP + width(GRADIENT_CHARS, SMALL) : 0);
    const vertex = newVertex(row, LANE + 2, right, false);
    rows[row]!.push(vertex);
    const leaves = above !== null && row === first;
    const stem = isLeaf && leaves;
    const weight = stem ? PULL.stem : leaves || !long ? ends : PULL.thread;
    if (above) bond(above, vertex, leaves ? exitOf(from!, link) : 0, 0, weight, stem);
    vertices.push(vertex);
    above = vertex;
  }
  if (!above || !to) return;
  // Of two grounds one stands right below the other, wherever the edges between them begin and end.
  if (from?.group && to.group && !long) bond(from.vertex!, to.vertex!, 0, 0, ends);
  else bond(above, to.vertex!, above === from?.vertex ? exitOf(from, link) : 0, entryOf(to, link), ends);
}

/** Where a link leaves a member, from its spine. */
function exitOf({ item, group }: Member, link: Link): number {
  return item ? item.outputs[link.output]!.x : group!.exits.get(link)!;
}

/** Where a link enters a member, from its spine. */
function entryOf({ item, group }: Member, link: Link): number {
  return item ? link.port : group!.entries.get(link)!;
}

/** Spreads an item's ports over its pill in the order in which its edges arrive; its trunk enters in the middle. */
function portsOf({ item, vertex, ins }: Member, trunk: Link | undefined): void {
  const { pillLeft, pillRight } = item!;
  // What comes straight from outside has no vertex above.
  const bonds = vertex!.above.length === ins.length ? vertex!.above : null;
  const arriving = ins.map((wire, i) => ({ wire, bond: bonds?.[i] ?? null }));
  if (bonds) arriving.sort((a, b) => a.bond!.upper.order - b.bond!.upper.order);
  const room = pillLeft + pillRight - 24;
  const last = arriving.length - 1;
  const gap = last > 0 ? Math.min(PORT_GAP, room / last) : 0;
  const middle = trunk ? arriving.findIndex(({ wire }) => wire.link === trunk) : last / 2;
  const first = -middle * gap;
  const shift = Math.max(0, 12 - pillLeft - first) - Math.max(0, first + last * gap + 12 - pillRight);
  arriving.forEach(({ wire, bond: at }, i) => {
    wire.link.port = first + shift + i * gap;
    if (at) at.lowerX = wire.link.port;
  });
}

/** Sets a group's size, where its rows are, and where links enter and leave it. */
function measure(group: Group, rows: readonly Vertex[][]): void {
  const { frame, self } = group;
  const heights = rows.map(() => 0);
  for (const { row, height } of group.members) heights[row] = Math.max(heights[row]!, height);
  for (const wire of group.wires) {
    const at = labelOf(wire);
    if (at) heights[at.row] = Math.max(heights[at.row]!, LABEL_HEIGHT);
  }
  const top = frame ? FRAME_HEADER : 0;
  let y = top;
  const tops: number[] = [];
  rows.forEach((row, i) => {
    tops.push(y);
    let run = 0;
    for (const vertex of row) {
      for (const { lower, upperX, lowerX } of vertex.below) {
        run = Math.max(run, Math.abs(vertex.x + upperX - lower.x - lowerX));
      }
    }
    y += heights[i]! + (i === rows.length - 1 ? 0 : gapFor(run, i));
  });
  const pad = frame ? FRAME_PAD : 0;
  group.tops = tops;
  group.heights = heights;
  const { least, most, bottom } = fold(group, rows, y, top);
  const content = rows.length === 0 ? 0 : most - least;
  group.width = Math.max(content + 2 * pad, frame ? nameWidth(frame) : 0);
  group.height = bottom + (frame ? FRAME_FOOTER : 0);
  group.origin = (group.width - content) / 2 - least;
  self.left = self.right = group.width / 2;
  self.height = group.height;
  const shift = group.origin - group.width / 2;
  for (const { link, from, to, vertices } of group.wires) {
    if (!from) group.entries.set(link, shift + (vertices[0]?.x ?? to!.vertex!.x + entryOf(to!, link)));
    if (to) continue;
    const last = (group.shifts.at(-1) ?? 0) + (vertices.at(-1)?.x ?? from!.vertex!.x + exitOf(from!, link));
    group.exits.set(link, shift + last);
  }
}

/** The vertex beside which the gradient's number stands: below a leaf, else above the user. */
function labelOf({ link, labelled, vertices }: Wire): Vertex | undefined {
  if (!labelled) return undefined;
  return link.from.kind === 'op' ? vertices.at(-1) : vertices[0];
}

/** Room between two rows for edges that run sideways; a bend needs room mostly above the row of its user. */
function gapFor(run: number, row: number): number {
  return row % 2 === 0 ? Math.min(MOST_GAP, run * 0.2) : Math.min(MOST_GAP, LEAST_GAP + APPROACH + run * 0.22);
}

/** Places the members of a group that is itself placed; items stand at the bottom of their row, groups at its top. */
function settle(group: Group): void {
  const { x, y, tops, heights, origin, shifts, frame } = group;
  for (const { item, group: inner, row, height, vertex } of group.members) {
    if (item) {
      item.x = x + origin + shifts[row]! + vertex!.x;
      item.y = y + tops[row]! + heights[row]! - height;
    } else {
      inner!.x = x + origin + shifts[row]! + vertex!.x - inner!.width / 2;
      inner!.y = y + tops[row]!;
    }
  }
  if (!frame) return;
  frame.rect = { x, y, width: group.width, height: group.height };
  title(
    frame,
    [...group.entries.values()].map((at) => x + group.width / 2 + at),
  );
}

/** Draws a link's course through the groups on its way. */
function draw(link: Link, route: readonly Wire[]): void {
  const { from, to } = link;
  const passes: Pass[] = [];
  for (const wire of route) {
    const { group, vertices } = wire;
    const rim = group.x + group.width / 2;
    const { parent, self } = group;
    if (!wire.from) {
      const top = parent!.y + parent!.tops[self.row]! - APPROACH;
      const turn = turnTo(parent!, self.row, link);
      passes.push({ x: rim + group.entries.get(link)!, top, bottom: group.y + group.tops[0]!, turn });
    }
    const label = labelOf(wire);
    for (const vertex of vertices) {
      const top = group.y + group.tops[vertex.row]!;
      const x = group.x + group.origin + group.shifts[vertex.row]! + vertex.x;
      const pass = { x, top, bottom: top + group.heights[vertex.row]!, turn: turnTo(group, vertex.row, link) };
      passes.push(pass);
      if (vertex !== label) continue;
      link.labelX = pass.x;
      link.labelY = (pass.top + pass.bottom) / 2;
    }
    if (!wire.to) {
      const bottom = parent!.y + parent!.tops[self.row]! + parent!.heights[self.row]!;
      const top = group.y + group.tops.at(-1)! + group.heights.at(-1)!;
      passes.push({ x: rim + group.exits.get(link)!, top, bottom, turn: null });
    }
  }
  const { group, to: user } = route.at(-1)!;
  const start = {
    x: from.x + from.outputs[link.output]!.x,
    top: startOf(from),
    bottom: from.y + from.height - (from.seed ? SEED_HEIGHT : 0),
    turn: null,
  };
  const top = group.y + group.tops[user!.row]! - APPROACH;
  const turn = turnTo(group, user!.row, link);
  link.points = course(start, passes, { x: to.x + link.port, top, bottom: to.y + to.pillTop, turn });
}

/** How a link comes to a row that begins a column. */
function turnTo(group: Group, row: number, link: Link): Lane | null {
  const lane = group.turns.get(row)?.lanes.get(link);
  if (!lane) return null;
  return { foot: group.y + lane.foot, gutter: group.x + group.origin + lane.gutter, head: group.y + lane.head };
}

function roomOf(points: Float32Array): Rect {
  let left = Number.POSITIVE_INFINITY;
  let right = Number.NEGATIVE_INFINITY;
  let top = Number.POSITIVE_INFINITY;
  let bottom = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < points.length; i += 2) {
    left = Math.min(left, points[i]!);
    right = Math.max(right, points[i]!);
    top = Math.min(top, points[i + 1]!);
    bottom = Math.max(bottom, points[i + 1]!);
  }
  return { x: left - 8, y: top, width: right - left + 100, height: bottom - top };
}

/** Where an edge leaves its producer: the lower rim of the pill or card. */
function startOf(item: Item): number {
  if (item.kind === 'op') return item.y + item.pillTop + PILL_HEIGHT;
  if (item.kind !== 'leaf') return item.y + item.height;
  return item.y + item.body + (item.requiresGrad ? GRAD_HEIGHT : 0);
}

function flip({ items, frames, routes }: Grouping, height: number): void {
  for (const item of items) {
    item.y = height - item.y - item.height;
    for (const chip of item.chips) chip.y = item.height - chip.y - CHIP_HEIGHT;
    for (const hook of item.hooks) hook.y = item.height - hook.y - HOOK_HEIGHT;
    if (item.kind === 'op') item.pillTop = item.height - item.pillTop - PILL_HEIGHT;
    else if (item.kind === 'leaf') item.pillTop = item.height - item.body - (item.requiresGrad ? GRAD_HEIGHT : 0);
  }
  for (const { rect } of frames) rect.y = height - rect.y - rect.height;
  for (const link of routes.keys()) {
    for (let i = 1; i < link.points.length; i += 2) link.points[i] = height - link.points[i]!;
    link.labelY = height - link.labelY;
  }
}
