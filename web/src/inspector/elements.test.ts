// Protects: the inspector shows numbers exactly, in tables of the tensor's own shape.

import { describe, expect, it } from 'vitest';
import type { Summary } from '../protocol/events';
import { exact, heat, isComplete, magnitude, slices } from './elements';

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

  it('cuts a tensor into two-dimensional slices', () => {
    expect(slices(summary([], [3]))).toEqual([{ label: null, rows: [[3]] }]);
    expect(slices(summary([2, 2], [1, 2, 3, 4]))).toEqual([{ label: null, rows: [[1, 2], [3, 4]] }]); // biome-ignore format: one row each
    expect(slices(summary([2, 1, 2], [1, 2, 3, 4])).map((slice) => slice.label)).toEqual(['[0, :, :]', '[1, :, :]']);
  });

  it('knows whether it has every element', () => {
    expect(isComplete(summary([2], [1, 2]))).toBe(true);
    expect(isComplete(summary([64, 128], [1, 2]))).toBe(false);
  });

  it('colours on a scale symmetric about zero', () => {
    expect(magnitude([1, -4, 'NaN'])).toBe(4);
    expect(heat(-4, 4)).toContain('--heat-low');
    expect(heat(2, 4)).toContain('--heat-high');
    expect(heat(0, 4)).toBeNull();
    expect(heat('NaN', 4)).toBeNull();
  });
});
