// Protects: equal grounds side by side, as the heads of an attention, are in rows that one can see at once, and what is below them gives way.

import { expect, it } from 'vitest';
import type { Group, Member, Wire } from './group';
import { newVertex } from './order';
import { spread } from './spread';
import { alignColumns, stack } from './stack';

/** Twelve grounds in the first row, with so many edges each, and an op that follows them. */
function twelve(width: number, edges: number): Group {
  const ground = () => {
    const group = { frame: {}, width, height: 900 } as Group;
    return { item: null, group, row: 0, column: -1, ins: [], outs: new Array<Wire>(edges) } as unknown as Member;
  };
  const last = { item: {}, group: null, row: 2, column: -1, ins: [], outs: [] } as unknown as Member;
  return { rows: 3, members: [...Array.from({ length: 12 }, ground), last] } as unknown as Group;
}

it('stands many grounds in rows one below the other, in the order of the program', () => {
  const group = twelve(1000, 1);
  stack(group);
  expect(group.members.map(({ row }) => row)).toEqual([0, 0, 0, 0, 2, 2, 2, 2, 4, 4, 4, 4, 6]);
  expect(group.members.map(({ column }) => column)).toEqual([0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, -1]);
  expect(group.rows).toBe(7);
});

it('leaves a row that is narrow, and one whose edges would need as much room', () => {
  for (const group of [twelve(200, 1), twelve(1000, 12)]) {
    stack(group);
    expect(group.members.map(({ row }) => row)).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2]);
    expect(group.rows).toBe(3);
  }
});

it('stands any in rows that would be a thin line', () => {
  const group = twelve(6000, 12);
  stack(group);
  expect(new Set(group.members.map(({ row }) => row)).size).toBeGreaterThan(2);
});

it('puts grounds straight below each other, though edges pass between them', () => {
  const vertex = (row: number, column: number, isItem: boolean) => {
    const half = isItem ? 100 : 4;
    return newVertex(row, half, half, isItem, column);
  };
  const ground = (row: number) => [0, 1, 2].map((column) => vertex(row, column, true));
  const [upper, lower] = [ground(0), ground(2)];
  const thread = vertex(2, 2, false);
  const rows = [upper, [vertex(1, 2, false)], [lower[0]!, lower[1]!, thread, lower[2]!]];
  alignColumns(rows);
  spread(rows);
  lower.forEach(({ x }, i) => {
    expect(x).toBeCloseTo(upper[i]!.x, 5);
  });
});
