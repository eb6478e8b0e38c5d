// Stacks: many grounds side by side, as the heads of an attention, are in several rows one below the other, as words do.

import type { Group } from './group';
import { bond, type Vertex } from './order';

/** Grounds in a row from which on it is stacked, and the width that it may always have. */
const LEAST = 4;
const WIDE = 3000;
/** Edges that each may have on average: those of one row pass between the grounds of others. */
const MOST_EDGES = 3;
/** A row of this width is a thin line from where one sees all of it: it may have any edges that take less room than it does. */
const LINE = 50_000;
const EDGE_ROOM = 40;
/** How wide the rows together are to their height. */
const ASPECT = 1.5;
/** How strongly grounds want to be straight below each other: more than any edge wants to be straight. */
const BELOW = 48;

/** Gives the grounds of a row that is much wider than high several rows, in the order of the program; what is below gives way. */
export function stack(group: Group): void {
  const { members } = group;
  const rows: { count: number; edges: number; width: number; height: number }[] = [];
  for (const { row, group: inner, ins, outs } of members) {
    if (!inner?.frame) continue;
    rows[row] ??= { count: 0, edges: 0, width: 0, height: 0 };
    const grounds = rows[row];
    grounds.count += 1;
    grounds.edges += ins.length + outs.length;
    grounds.width += inner.width;
    grounds.height = Math.max(grounds.height, inner.height);
  }
  /** How many are beside each other, for the rows that are stacked, and how far down each row goes. */
  const beside: number[] = [];
  const down: number[] = [];
  let more = 0;
  for (let row = 0; row < group.rows; row += 1) {
    down[row] = more;
    const grounds = rows[row];
    if (!grounds || grounds.count < LEAST || grounds.width < WIDE) continue;
    const { count, edges, width } = grounds;
    const lines = Math.round(Math.sqrt(width / (ASPECT * grounds.height)));
    if (lines < 2) continue;
    if (edges > MOST_EDGES * count && (width < LINE || edges * EDGE_ROOM > width / lines)) continue;
    beside[row] = Math.ceil(grounds.count / lines);
    more += 2 * (Math.ceil(grounds.count / beside[row]!) - 1);
  }
  if (more === 0) return;
  const seen: number[] = [];
  for (const member of members) {
    const { row } = member;
    member.row += down[row]!;
    const most = beside[row];
    if (most === undefined || !member.group?.frame) continue;
    const before = seen[row] ?? 0;
    seen[row] = before + 1;
    member.row += 2 * Math.floor(before / most);
    member.column = before % most;
  }
  group.rows += more;
}

/** Orders the rows of what is stacked by columns: between two grounds pass the edges from those above them. */
export function alongColumns(rows: readonly Vertex[][]): void {
  for (const row of rows) if (row.some(({ column }) => column >= 0)) row.sort((a, b) => a.column - b.column);
}

/** Holds grounds that are below each other together, once the order of the rows is settled. */
export function alignColumns(rows: readonly Vertex[][]): void {
  const last = new Map<number, Vertex>();
  for (const row of rows) {
    for (const vertex of row) {
      if (!vertex.isItem || vertex.column < 0) continue;
      const upper = last.get(vertex.column);
      // What is further up belongs to another stack.
      if (upper && vertex.row - upper.row === 2) bond(upper, vertex, 0, 0, BELOW);
      last.set(vertex.column, vertex);
    }
  }
}
