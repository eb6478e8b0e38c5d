// Lays out one chunk: its groups one by one, the inner ones first, then their places and the courses of links.

import { course, type Pass } from './edge-course';
import { title } from './frame';
import type { Item, Link } from './graph';
import { APPROACH, labelRow, layGroup, type Trunks } from './group/box';
import type { Group, Grouping, Lane, Wire } from './group/group';
import type { Stamps } from './group/stamps';
import { PORTION } from './pace/slices';
import type { Rect } from './rect';
import { drawSide, settleSides } from './sides';
import { CHIP_HEIGHT, GRAD_HEIGHT, HOOK_HEIGHT, PILL_HEIGHT, SEED_HEIGHT } from './size';

/** Items of a chunk up to which there is time to look for the fewest crossings. */
const FEW = 600;

/** How far the number of a level edge reaches above or below it. */
const SIDEWAYS = 24;

type Size = { width: number; height: number };

/** Sets places of items and frames and courses of links; returns the size of the chunk.  `up` puts the inputs at the bottom. */
export function* layChunk(grouping: Grouping, up: boolean, stamps: Stamps): Generator<void, Size> {
  const { groups, root, routes } = grouping;
  const trunks = trunksOf(grouping.items);
  for (let i = groups.length - 1; i >= 0; i -= 1) {
    layGroup(groups[i]!, trunks, grouping.items.length <= FEW, stamps);
    yield;
  }
  for (const group of groups) settle(group);
  for (let i = 0; i < routes.length; i += 1) {
    draw(routes[i]!);
    if (i % PORTION === 0) yield;
  }
  for (const link of grouping.sides) drawSide(link);
  if (up) flip(grouping, root.height);
  for (const { link } of routes) link.rect = roomOf(link.points);
  for (const link of grouping.sides) link.rect = roomOf(link.points);
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
      if (input.from.kind !== 'op' || input.from === trunks.get(item)?.from) continue;
      if (depth > deepest) trunks.set(item, input);
      else if (depth === deepest) trunks.delete(item);
      deepest = Math.max(deepest, depth);
    }
    depths.set(item, history + 1);
  }
  return trunks;
}

/** Places the members of a group that is itself placed; items are at the bottom of their row, groups at its top. */
function settle(group: Group): void {
  const { x, y, tops, heights, origin, shifts, frame } = group;
  for (const { item, group: inner, row, height, x: at } of group.members) {
    if (item) {
      item.x = x + origin + shifts[row]! + at;
      item.y = y + tops[row]! + heights[row]! - height;
      settleSides(item);
    } else {
      inner!.x = x + origin + shifts[row]! + at - inner!.width / 2;
      inner!.y = y + tops[row]!;
    }
  }
  if (!frame) return;
  frame.rect = { x, y, width: group.width, height: group.height };
  const entries: number[] = [];
  for (const { from, rim } of group.wires) if (!from) entries.push(x + group.width / 2 + rim);
  title(frame, entries);
}

/** Draws a link's course through the groups on its way, from its first part on. */
function draw(first: Wire): void {
  const { link } = first;
  const { from, to } = link;
  const passes: Pass[] = [];
  let part = first;
  for (let wire: Wire | null = first; wire; wire = wire.after) {
    part = wire;
    const { group, xs } = wire;
    const rim = group.x + group.width / 2;
    const { parent, self } = group;
    if (!wire.from) {
      const top = parent!.y + parent!.tops[self.row]! - APPROACH;
      const turn = turnTo(parent!, self.row, link);
      passes.push({ x: rim + wire.rim, top, bottom: group.y + group.tops[0]!, turn });
    }
    const label = labelRow(wire);
    let row = wire.from ? wire.from.row + 1 : 0;
    for (let i = 0; i < xs.length; i += 1, row += 1) {
      const top = group.y + group.tops[row]!;
      const x = group.x + group.origin + group.shifts[row]! + xs[i]! + link.shift;
      const pass = { x, top, bottom: top + group.heights[row]!, turn: turnTo(group, row, link) };
      passes.push(pass);
      if (row !== label) continue;
      link.labelX = pass.x;
      link.labelY = (pass.top + pass.bottom) / 2;
    }
    if (!wire.to) {
      const bottom = parent!.y + parent!.tops[self.row]! + parent!.heights[self.row]!;
      const top = group.y + group.tops.at(-1)! + group.heights.at(-1)!;
      passes.push({ x: rim + wire.rim, top, bottom, turn: null });
    }
  }
  const { group, to: user } = part;
  const start = {
    x: from.x + from.outputs[link.output]!.x + link.exit + link.shift,
    top: startOf(from),
    bottom: from.y + from.height - (from.seed ? SEED_HEIGHT : 0),
    turn: null,
  };
  const top = group.y + group.tops[user!.row]! - APPROACH;
  const turn = turnTo(group, user!.row, link);
  link.points = course(start, passes, { x: to.x + link.port + link.shift, top, bottom: to.y + to.pillTop, turn });
}

/** How a link comes to a row that begins a column. */
function turnTo(group: Group, row: number, link: Link): Lane | null {
  if (group.turns.size === 0) return null;
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
  return { x: left - 8, y: top - SIDEWAYS, width: right - left + 100, height: bottom - top + 2 * SIDEWAYS };
}

/** Where an edge leaves its producer: the lower rim of the pill or card. */
function startOf(item: Item): number {
  if (item.kind === 'op') return item.y + item.pillTop + PILL_HEIGHT;
  if (item.kind !== 'leaf') return item.y + item.height;
  return item.y + item.body + (item.requiresGrad ? GRAD_HEIGHT : 0);
}

function flip({ items, frames, routes, sides }: Grouping, height: number): void {
  for (const item of items) {
    item.y = height - item.y - item.height;
    for (const chip of item.chips) chip.y = item.height - chip.y - CHIP_HEIGHT;
    for (const hook of item.hooks) hook.y = item.height - hook.y - HOOK_HEIGHT;
    if (item.kind === 'op') item.pillTop = item.height - item.pillTop - PILL_HEIGHT;
    else if (item.kind === 'leaf') item.pillTop = item.height - item.body - (item.requiresGrad ? GRAD_HEIGHT : 0);
  }
  for (const { rect } of frames) rect.y = height - rect.y - rect.height;
  for (const link of [...routes.map(({ link }) => link), ...sides]) {
    for (let i = 1; i < link.points.length; i += 2) link.points[i] = height - link.points[i]!;
    link.labelY = height - link.labelY;
  }
}
