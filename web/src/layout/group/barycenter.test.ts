// Protects: stretches of any length come into order and become one, and their middle is the weighted one.

import { describe, expect, it } from 'vitest';
import { Barycenters } from './barycenter';

/** Places without a pattern, the same every time. */
function places(count: number): number[] {
  return Array.from({ length: count }, (_, i) => (i * 7919) % 1009);
}

/** The weighted median of barycenters, all moved by a distance. */
function medianOf(values: readonly number[], weights: readonly number[], by = 0): number {
  const barycenters = new Barycenters();
  values.forEach((at, i) => {
    barycenters.add(at, weights[i]!);
  });
  barycenters.order(0, by);
  return barycenters.median(0, barycenters.count);
}

describe('barycenters', () => {
  it.each([1, 2, 31, 33, 300])('find the middle of %i', (count) => {
    const values = places(count);
    const sorted = values.toSorted((a, b) => a - b);
    const half = count / 2;
    const middle = count % 2 === 1 ? sorted[(count - 1) / 2]! : (sorted[half - 1]! + sorted[half]!) / 2;
    expect(
      medianOf(
        values,
        values.map(() => 1),
      ),
    ).toBe(middle);
  });

  it('go where the weight is, moved as they are asked to', () => {
    expect(medianOf([5, 1, 9], [1, 5, 1], -1)).toBe(0);
  });

  it('stay in order when two stretches become one', () => {
    const barycenters = new Barycenters();
    for (const at of places(40)) barycenters.add(at, 1);
    barycenters.order(0, 0);
    for (const at of places(41)) barycenters.add(at + 0.5, 1);
    barycenters.order(40, 0);
    barycenters.merge(0, 40, 81);
    const all = [...places(40), ...places(41).map((at) => at + 0.5)].sort((a, b) => a - b);
    expect(barycenters.median(0, 81)).toBe(all[40]);
    for (let i = 0; i < 81; i += 1) expect(barycenters.median(i, i + 1)).toBe(all[i]);
  });
});
