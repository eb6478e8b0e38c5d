// Protects: equal entries are paired by the shortest edit, and sequences of any length in linear time.

import { expect, test } from 'vitest';
import { atOnce } from '../find/work-slices';
import { align as aligning } from './sequence';

const align = (a: readonly number[], b: readonly number[]) => atOnce(aligning(a, b));

const codes = (text: string) => [...text].map((letter) => letter.charCodeAt(0));
const common = (a: string, b: string) =>
  align(codes(a), codes(b))
    .map(([i, j]) => {
      expect(a[i]).toBe(b[j]);
      return a[i];
    })
    .join('');

test.each([
  ['', '', ''],
  ['abc', 'abc', 'abc'],
  ['abc', '', ''],
  ['abc', 'xyz', ''],
  ['abcabba', 'cbabac', 4],
  ['abcdef', 'abXdef', 'abdef'],
  ['abcdef', 'abdef', 'abdef'],
  ['aaa', 'aaaaa', 'aaa'],
  ['xabc', 'abc', 'abc'],
  ['abc', 'abcx', 'abc'],
])('%j and %j', (a, b, wanted) => {
  const found = common(a, b);
  if (typeof wanted === 'number') expect(found.length).toBe(wanted);
  else expect(found).toBe(wanted);
});

/** The length of the longest common subsequence, the slow way. */
function longest(a: readonly number[], b: readonly number[]): number {
  let row = new Array<number>(b.length + 1).fill(0);
  for (const one of a) {
    const next = [0];
    for (let j = 0; j < b.length; j += 1) next.push(one === b[j] ? row[j]! + 1 : Math.max(row[j + 1]!, next[j]!));
    row = next;
  }
  return row[b.length]!;
}

test('no other pairing has more pairs, and pairs go on in both', () => {
  let seed = 1;
  const random = (most: number) => {
    seed = (seed * 48271) % 2147483647;
    return seed % most;
  };
  for (let round = 0; round < 200; round += 1) {
    const a = Array.from({ length: random(20) }, () => random(4));
    const b = Array.from({ length: random(20) }, () => random(4));
    const pairs = align(a, b);
    expect(pairs.length).toBe(longest(a, b));
    for (const [at, [i, j]] of pairs.entries()) {
      expect(a[i]).toBe(b[j]);
      if (at > 0) expect(i > pairs[at - 1]![0] && j > pairs[at - 1]![1]).toBe(true);
    }
  }
});

test('an op more in each of a thousand rounds is found in a long run', () => {
  const rounds = 2000;
  const a = Array.from({ length: rounds }, () => [1, 2, 3, 4, 5, 6, 7]).flat();
  const b = Array.from({ length: rounds }, () => [1, 2, 3, 9, 4, 5, 6, 7]).flat();
  const pairs = align(a, b);
  expect(pairs.length).toBeGreaterThan(0.99 * a.length);
});

test('what has nothing in common ends, too', () => {
  const a = Array.from({ length: 20_000 }, (_, i) => i);
  expect(
    align(
      a,
      a.map((one) => one + 1_000_000),
    ),
  ).toEqual([]);
});
