// Protects: statistics and histograms are of the finite elements, and the others are counted.

import { expect, test } from 'vitest';
import { spreadOf } from './element-statistics';

test('of finite elements beside others', () => {
  const spread = spreadOf([0, 3, 4, 'NaN', '-Infinity']);
  expect(spread).toMatchObject({ count: 3, nan_count: 1, inf_count: 1, zeros: 1, min: 0, max: 4, norm: 5 });
  expect(spread.mean).toBeCloseTo(7 / 3);
  expect(spread.std).toBeCloseTo(Math.sqrt(13 / 3));
  expect(spread.counts.reduce((sum, count) => sum + count)).toBe(3);
});

test('of one value, of none, and of a range that is too wide for bins', () => {
  expect(spreadOf([2, 2])).toMatchObject({ ends: [1.5, 2.5], std: 0 });
  expect(spreadOf(new Array(6).fill(3.5))).toMatchObject({ mean: 3.5, std: 0 });
  expect(spreadOf(['NaN'])).toMatchObject({ count: 0, min: null, mean: null, std: null, counts: [] });
  expect(spreadOf([1e308, -1e308])).toMatchObject({ counts: [], std: 'Infinity' });
});

test('of complex and large whole numbers', () => {
  expect(spreadOf([[3, 4], [0, 0]])).toMatchObject({ max: 5, zeros: 1, norm: 5 }); // biome-ignore format: pairs
  expect(spreadOf([9007199254740993n as never, 1])).toMatchObject({ count: 2, min: 1 });
});
