// Protects: rows keep their order and distances, chains run straight, and crossings are removed.

import { describe, expect, it } from 'vitest';
import { crossings, newVertex, orderRows, type Vertex } from './order';
import { distance, spread } from './spread';

function vertex(row: number, half = 20): Vertex {
  return newVertex(row, half, half, true, -1);
}

function tie(upper: Vertex, lower: Vertex, weight = 6): void {
  const bond = { upper, lower, upperX: 0, lowerX: 0, weight, stem: false };
  upper.below.push(bond);
  lower.above.push(bond);
}

/** Rows between which each vertex leads to one or two others, without a pattern; `left` numbers them. */
function tangled(count: number, length: number): Vertex[][] {
  const rows: Vertex[][] = [];
  for (let row = 0; row < length; row += 1) {
    const made = Array.from({ length: count }, (_, i) => vertex(row, 1 + row * count + i));
    const above = rows.at(-1);
    made.forEach((lower, i) => {
      if (!above) return;
      tie(above[(i * 7919 + row * 104_729) % count]!, lower);
      if (i % 2 === 0) tie(above[(i * i * 31 + row * 17) % count]!, lower);
    });
    rows.push(made);
  }
  return rows;
}

describe('order', () => {
  it('uncrosses what can be uncrossed', () => {
    const [a, b, c, d] = [vertex(0), vertex(0), vertex(1), vertex(1)];
    tie(a, d);
    tie(b, c);
    const rows = [
      [a, b],
      [c, d],
    ];
    for (const row of rows) {
      row.forEach((one, i) => {
        one.order = i;
      });
    }
    expect(crossings(rows)).toBe(1);
    orderRows(rows);
    expect(crossings(rows)).toBe(0);
  });

  it('finds fewer crossings where there is time, and the same order every time', () => {
    const ordered = (thorough: boolean) => {
      const rows = tangled(6, 8);
      orderRows(rows, thorough);
      return rows;
    };
    const numbers = (rows: Vertex[][]) => rows.map((row) => row.map(({ left }) => left));
    const rows = ordered(true);
    expect(crossings(rows)).toBeLessThan(crossings(ordered(false)));
    expect(numbers(rows)).toEqual(numbers(ordered(true)));
  });
});

describe('spread', () => {
  it('draws a chain as one straight line', () => {
    const chain = [0, 1, 2, 3].map((row) => vertex(row));
    const aside = vertex(1, 60);
    for (let i = 0; i < 3; i += 1) tie(chain[i]!, chain[i + 1]!);
    tie(aside, chain[2]!, 0.05);
    spread([[chain[0]!], [aside, chain[1]!], [chain[2]!], [chain[3]!]]);
    for (const one of chain) expect(one.x).toBeCloseTo(chain[0]!.x);
  });

  it('keeps neighbours apart and in order', () => {
    const bottom = vertex(1);
    const tops = [vertex(0, 15), vertex(0, 50), vertex(0, 10), vertex(0, 30)];
    for (const top of tops) tie(top, bottom);
    spread([tops, [bottom]]);
    tops.slice(1).forEach((top, i) => {
      expect(top.x - tops[i]!.x).toBeGreaterThanOrEqual(distance(tops[i]!, top) - 1e-6);
    });
  });
});
