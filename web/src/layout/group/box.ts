// Lays out one group by itself: its members in rows, in an order with few crossings, and the size that they take.

import { FRAME_FOOTER, FRAME_HEADER, FRAME_PAD, nameWidth } from '../frame';
import type { Item, Link } from '../graph';
import { GRADIENT_CHARS, LABEL_GAP, LANE, SMALL, width } from '../size';
import { fold } from './fold';
import { exitOf, type Group, type Member, NONE, type Wire } from './group';
import { bond, newVertex, orderRows, type Vertex } from './order';
import { entryOf, exitsOf, portsOf } from './ports';
import { riseOf, sideOf } from './rise';
import { spread } from './spread';
import { alignColumns, alongColumns, stack } from './stack';
import type { Stamps } from './stamps';

const LEAST_GAP = 12;
/** Room for a bend right below a card or a pill. */
const LEAST_BEND = 10;
const MOST_GAP = 80;
/** Edges run straight for this far before they enter a pill. */
export const APPROACH = 8;
const LABEL_HEIGHT = 20;
const LABEL_WIDTH = LABEL_GAP + width(GRADIENT_CHARS, SMALL);
/**
 * How strongly edges want to be straight: within long edges most, between ops more than from leaves.  An edge bends
 * only right above its user, so that the number beside it is below its leaf.
 */
const PULL = { thread: 12, trunk: 6, branch: 1, leaf: 0.05, stem: 16 };

/** The input of each item that goes on its trunk. */
export type Trunks = ReadonlyMap<Item, Link>;

/** Lays out a group whose inner groups are laid out; one that is like an earlier one takes over what that came to. */
export function layGroup(group: Group, trunks: Trunks, thorough: boolean, stamps: Stamps): void {
  stack(group);
  if (stamps.take(group, trunks, thorough)) return;
  const rows = rowsOf(group, trunks);
  alongColumns(rows);
  orderRows(rows, thorough);
  for (const member of group.members) {
    if (!member.item) continue;
    portsOf(member, trunks.get(member.item));
    exitsOf(member);
  }
  alignColumns(rows);
  spread(rows);
  measure(group, rows);
  for (const member of group.members) {
    member.x = member.vertex!.x;
    member.vertex = null;
  }
  for (const made of group.wires) {
    if (made.vertices.length > 0) made.xs = made.vertices.map(({ x }) => x);
    if (made.twin) made.xs = made.twin.xs;
    made.vertices = NONE;
    made.first = null;
  }
  stamps.keep(group);
}

/** Vertices in rows, in the order in which a walk from the results up to the leaves first meets them. */
function rowsOf(group: Group, trunks: Trunks): Vertex[][] {
  const rows: Vertex[][] = Array.from({ length: group.rows }, () => []);
  const stack: { member: Member; ins: Wire[]; next: number }[] = [];
  const enter = (member: Member): void => {
    if (member.vertex) return;
    member.vertex = newVertex(member.row, member.left, member.right, true, member.column);
    member.vertex.isOp = member.item?.kind === 'op';
    member.vertex.isGroup = member.group !== null;
    member.vertex.side = sideOf(member);
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

/** Leaves come before the trunk, so that they are at its left, where its backward half takes no room. */
function visits({ ins }: Member): Wire[] {
  const isTrunk = ({ link }: Wire) => link.from.kind === 'op';
  if (ins.filter(isTrunk).length !== 1) return ins;
  return [...ins.filter((wire) => !isTrunk(wire)), ...ins.filter(isTrunk)];
}

function thread(wire: Wire, rows: Vertex[][], trunks: Trunks): void {
  // One line is laid out for both of two inputs that have the same tensor.
  if (wire.twin) return;
  const { link, from, to } = wire;
  const isLeaf = link.from.kind !== 'op';
  const trunk = trunks.get(link.to);
  // What is not recorded leaves the recorded path straight; terms follow the sum.
  const ends =
    isLeaf || to?.isTerm ? PULL.leaf : (trunk && trunk !== link) || link.node === null ? PULL.branch : PULL.trunk;
  const first = from ? from.row + 1 : 0;
  const last = to ? to.row : rows.length;
  const long = last - first > 1;
  const vertices: Vertex[] = [];
  let above = from?.vertex ?? null;
  for (let row = first; row < last; row += 1) {
    const hasLabel = wire.labelled && row === (isLeaf ? first : last - 1);
    const right = LANE + 2 + Math.abs(link.shift) + (hasLabel ? LABEL_WIDTH : 0);
    const vertex = newVertex(row, link.shift === 0 ? LANE + 2 : right, right, false, from?.column ?? -1);
    rows[row]!.push(vertex);
    const leaves = above !== null && row === first;
    const stem = isLeaf && leaves;
    const weight = stem ? PULL.stem : leaves || !long || to?.isTerm ? ends : PULL.thread;
    if (above) {
      const made = bond(above, vertex, leaves ? exitOf(from!, wire) : 0, 0, weight, stem);
      if (leaves) wire.first = made;
    }
    vertices.push(vertex);
    above = vertex;
  }
  if (vertices.length > 0) wire.vertices = vertices;
  if (!above || !to) return;
  // Of two grounds one is right below the other, wherever the edges between them begin and end.
  if (from?.group && to.group && !long) bond(from.vertex!, to.vertex!, 0, 0, ends);
  else bond(above, to.vertex!, above === from?.vertex ? exitOf(from, wire) : 0, entryOf(to, wire), ends);
}

/** Sets a group's size, where its rows are, and where links enter and leave it. */
function measure(group: Group, rows: readonly Vertex[][]): void {
  const { frame, self } = group;
  const heights = rows.map(() => 0);
  for (const { row, height } of group.members) heights[row] = Math.max(heights[row]!, height);
  for (const wire of group.wires) {
    const row = labelRow(wire);
    if (row >= 0) heights[row] = Math.max(heights[row]!, LABEL_HEIGHT);
  }
  const top = frame ? FRAME_HEADER : 0;
  let y = top;
  const tops: number[] = [];
  rows.forEach((row, i) => {
    tops.push(y);
    heights[i]! += riseOf(rows, i, tops, heights, top);
    let run = 0;
    for (const vertex of row) {
      for (const { lower, upperX, lowerX } of vertex.below) {
        run = Math.max(run, Math.abs(vertex.x + upperX - lower.x - lowerX));
      }
    }
    y += heights[i]! + (i === rows.length - 1 ? 0 : gapFor(run, i, i % 2 === 1 && run < 1 && isTight(rows, i)));
  });
  const pad = frame ? FRAME_PAD : 0;
  group.tops = tops;
  group.heights = heights;
  const { least, most, bottom } = fold(group, tops, rows, y, top);
  const content = rows.length === 0 ? 0 : most - least;
  group.width = Math.max(content + 2 * pad, frame ? nameWidth(frame) : 0);
  group.height = bottom + (frame ? FRAME_FOOTER : 0);
  group.origin = (group.width - content) / 2 - least;
  self.left = self.right = group.width / 2;
  self.height = group.height;
  const shift = group.origin - group.width / 2;
  for (const made of group.wires) {
    const { from, to, vertices } = made;
    if (!from) made.rim = shift + (vertices[0]?.x ?? to!.vertex!.x + entryOf(to!, made));
    if (to) continue;
    const last = (group.shifts.at(-1) ?? 0) + (vertices.at(-1)?.x ?? from!.vertex!.x + exitOf(from!, made));
    made.rim = shift + last;
  }
}

/** The row beside which the gradient's number is: below a leaf, else above the user; -1 without a number. */
export function labelRow({ link, from, to, labelled, group }: Wire): number {
  if (!labelled) return -1;
  const first = from ? from.row + 1 : 0;
  const end = to ? to.row : group.rows;
  if (first >= end) return -1;
  return link.from.kind === 'op' ? end - 1 : first;
}

/** Whether edges that come straight down past a row of numbers need no room there: ops have a row of labels at their foot. */
function isTight(rows: readonly Vertex[][], row: number): boolean {
  const isOp = ({ isItem, isOp }: Vertex) => !isItem || isOp;
  return rows[row - 1]!.every(isOp) && (rows[row + 1]?.every(isOp) ?? true);
}

/** Room between two rows for edges that run sideways; a bend needs room mostly above the row of its user. */
function gapFor(run: number, row: number, tight: boolean): number {
  if (row % 2 === 0) return run < 1 ? 0 : Math.ceil(Math.min(MOST_GAP, LEAST_BEND + run * 0.17));
  if (tight) return 0;
  return Math.ceil(Math.min(MOST_GAP, LEAST_GAP + APPROACH + run * 0.18));
}
