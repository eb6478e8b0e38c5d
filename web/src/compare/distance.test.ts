// Protects: the distance of two values is relative to the first, and marked where not every element is known.

import { expect, test } from 'vitest';
import type { Scalar, Summary } from '../protocol/events';
import { distance } from './distance';

function of(values: Scalar[], more: Partial<Summary> = {}): Summary {
  const bad = values.filter((one) => one === 'NaN').length;
  const norm = Math.hypot(...values.map(Number));
  return {
    ...{ shape: [values.length], dtype: 'float32', strides: [1], nbytes: 4 * values.length, min: null, max: null },
    ...{ mean: null, norm, nan_count: bad, inf_count: 0, values, ...more },
  };
}

test.each([
  [[3, 4], [3, 4], 0],
  [[3, 4], [3, 5], 0.2],
  [[0, 0], [0, 1], Number.POSITIVE_INFINITY],
  [[0, 0], [0, 0], 0],
  [['NaN', 1], ['NaN', 1], 0],
  [['NaN', 1], [0, 1], Number.POSITIVE_INFINITY],
  [['Infinity'], ['Infinity'], 0],
] as [Scalar[], Scalar[], number][])('%j and %j', (from, to, relative) => {
  expect(distance(of(from), of(to)).relative).toBeCloseTo(relative, 12);
});

test('of a large tensor the norm is held against the norm, too', () => {
  const from = of([1, 1], { shape: [1000], norm: 10 });
  expect(distance(from, of([1, 1], { shape: [1000], norm: 10 }))).toEqual({ relative: 0, least: true });
  expect(distance(from, of([1, 1], { shape: [1000], norm: 12 }))).toEqual({ relative: 0.2, least: true });
});
