// Protects: the terms of a long sum are beside where they are added, and grounds that need nothing of each other in one row.

import { describe, expect, it } from 'vitest';
import { type Ranked, rank } from './ranks';

const outside: Ranked = { isOp: true, isGround: false, fed: true, above: [], least: 2 };
const ground: Ranked = { isOp: true, isGround: true, fed: false, above: [], least: 0 };
const addTo = (...above: number[]): Ranked => ({ isOp: true, isGround: false, fed: false, above, least: 0 });

/** As many things as are asked for, each followed by an op that adds it to the sum of those before. */
function sumOf(thing: Ranked, count: number): Ranked[] {
  const things: Ranked[] = [outside];
  for (let i = 0; i < count; i += 1) things.push(thing, addTo(2 * i, 2 * i + 1));
  return things;
}

describe('the terms of a sum that come from outside', () => {
  it('are right above where they are added, where there are many', () => {
    const { rows, terms } = rank(sumOf(outside, 6));
    expect([...rows]).toEqual([2, 2, 4, 4, 6, 6, 8, 8, 10, 10, 12, 12, 14]);
    expect(terms).toEqual([3, 5, 7, 9, 11]);
  });

  it('are in one row where there are few, or where others use them too', () => {
    expect([...rank(sumOf(outside, 4)).rows]).toEqual([2, 2, 4, 2, 6, 2, 8, 2, 10]);
    const used = [...sumOf(outside, 6), addTo(3, 5, 7, 9, 11)];
    expect(rank(used).terms).toEqual([]);
  });
});

describe('grounds of which each is added to a sum', () => {
  it('are in one row where they are many and need leaves alone', () => {
    const { rows } = rank(sumOf(ground, 4));
    expect([1, 3, 5, 7].map((i) => rows[i])).toEqual([0, 0, 0, 0]);
  });

  it('are right above where they are added where they are few, or where one needs another', () => {
    expect([1, 3, 5].map((i) => rank(sumOf(ground, 3)).rows[i])).toEqual([2, 4, 6]);
    const chain = [ground, ...[0, 1, 2].map((i) => ({ ...ground, above: [i] })), addTo(3)];
    expect([...rank(chain).rows]).toEqual([0, 2, 4, 6, 8]);
  });
});
