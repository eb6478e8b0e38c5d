// Protects: a tall group is in columns that end alike, as those of equal rounds, and no column is much longer than the others.

import { describe, expect, it } from 'vitest';
import { fold } from './fold';
import type { Group } from './group';
import { bond, newVertex } from './order';

/** How many rows are in each column where rows of these heights, one item wide, follow each other. */
function columns(heights: readonly number[], width: number, gives = false): number[] {
  const rows = heights.map((_, row) => [newVertex(row, width / 2, width / 2, true, -1)]);
  for (let row = 1; row < rows.length; row += 1) {
    bond(rows[row - 1]![0]!, rows[row]![0]!, 0, 0, 1);
    // What each row gives to what follows all of them passes the others.
    for (const before of gives ? [...rows[row - 1]!] : []) {
      const passing = newVertex(row, 0, 0, false, -1);
      rows[row]!.push(passing);
      bond(before, passing, 0, 0, 1);
    }
  }
  const tops: number[] = [];
  let y = 0;
  for (const height of heights) {
    tops.push(y);
    y += height;
  }
  const group = { heights, wires: [], shifts: [], turns: new Map() } as unknown as Group;
  fold(group, tops, rows, y, 0);
  const counts = new Map<number, number>();
  for (const shift of group.shifts) counts.set(shift, (counts.get(shift) ?? 0) + 1);
  return [...counts.values()];
}

describe('columns', () => {
  it('are made of many rounds of which each gives something to what follows them', () => {
    const counts = columns(new Array(119).fill(900), 6000, true);
    expect(counts.length).toBeGreaterThan(3);
    expect(Math.max(...counts)).toBeLessThan(1.5 * (119 / counts.length));
  });

  it.each([40, 99, 100, 101, 150])('of %i equal rounds end alike, but for the last', (rounds) => {
    const counts = columns(new Array(rounds).fill(900), 600);
    expect(counts.length).toBeGreaterThan(3);
    expect(new Set(counts.slice(0, -1)).size).toBe(1);
    expect(counts.at(-1)!).toBeLessThanOrEqual(counts[0]!);
  });

  it.each([5, 6, 7, 8, 9, 10, 11, 12])('of %i long rounds leave no holes between them', (rounds) => {
    const counts = columns(new Array(rounds).fill(1500), 1000);
    expect(counts.length).toBeGreaterThan(1);
    expect(new Set(counts.slice(0, -1)).size).toBe(1);
    expect(counts.at(-1)!).toBeLessThanOrEqual(counts[0]!);
  });

  it('share out what a long one left over', () => {
    const heights = [...new Array(12).fill(500), 9000, ...new Array(36).fill(500)];
    const counts = columns(heights, 1500);
    let first = 0;
    const sums = counts.map((count) => {
      first += count;
      return heights.slice(first - count, first).reduce((sum, height) => sum + height, 0);
    });
    expect(Math.max(...sums.slice(1))).toBeLessThan(1.7 * Math.min(...sums.slice(1)));
  });
});
