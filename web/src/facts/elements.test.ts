// Protects: the inspector shows numbers exactly, in tables of the tensor's own shape.

import { describe, expect, it } from 'vitest';
import type { Summary } from '../protocol/events';
import { exact, heat, isComplete, isContiguous, isRounded, magnitude, mark } from './elements';

function summary(shape: number[], values: Summary['values']): Summary {
  return { shape, values, dtype: 'float32' } as Summary;
}

describe('values', () => {
  it.each([
    [Math.fround(0.1), 'torch.float32', '0.1'],
    [Math.fround(1 / 3), 'torch.float32', '0.33333334'],
    [1 / 3, 'torch.float64', '0.3333333333333333'],
    [-6, 'torch.float32', '−6'],
    [1e-7, 'torch.float64', '1e−7'],
    ['NaN', 'torch.float32', 'NaN'],
    ['-Infinity', 'torch.float32', '−∞'],
    [[1, -2], 'torch.complex64', '1 − 2i'],
    [1, 'torch.bool', 'True'],
  ] as const)('writes %s of %s as %s', (element, dtype, text) => {
    expect(exact(element as never, dtype)).toBe(text);
  });

  it('knows whether it has every element', () => {
    expect(isComplete(summary([2], [1, 2]))).toBe(true);
    expect(isComplete(summary([64, 128], [1, 2]))).toBe(false);
  });

  it('colours on a scale symmetric about zero', () => {
    expect(magnitude([1, -4, 'NaN'])).toBe(4);
    expect(magnitude([[3, 4], 1])).toBe(5); // biome-ignore format: a pair
    expect(heat(-4, 4, 50)).toContain('--heat-low) 50%');
    expect(heat(2, 4, 100)).toContain('--heat-high) 50%');
    expect(heat(0, 4, 50)).toBeNull();
    expect(heat('NaN', 4, 50)).toBeNull();
  });

  it('marks by letters what has no place on the scale', () => {
    expect(['NaN', '-Infinity', 3].map((element) => mark(element as never))).toEqual(['N', '−∞', '']);
  });

  it('knows what is contiguous', () => {
    expect(isContiguous({ shape: [2, 1, 3], strides: [3, 7, 1] })).toBe(true);
    expect(isContiguous({ shape: [3, 2], strides: [1, 3] })).toBe(false);
    expect(isContiguous({ shape: [2, 0], strides: [5, 9] })).toBe(true);
  });

  it('knows whole numbers that are rounded', () => {
    expect(isRounded({ dtype: 'int64', values: [2 ** 53] })).toBe(true);
    expect(isRounded({ dtype: 'float64', values: [2 ** 53] })).toBe(false);
    expect(exact(9007199254740993n, 'int64')).toBe('9007199254740993');
  });
});

it('shows what a float16 holds, not the text that stands for it', () => {
  expect([0.1, 65500, 1e-7, -2.5].map((value) => exact(value, 'float16'))).toEqual([
    '0.0999755859375',
    '65504',
    '1.1920928955078125e−7',
    '−2.5',
  ]);
  expect(exact(0.1, 'float32')).toBe('0.1');
});
