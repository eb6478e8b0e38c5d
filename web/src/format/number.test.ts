// Protects: how numbers, bytes and shapes are written.

import { describe, expect, it } from 'vitest';
import type { Summary } from '../protocol/events';
import { brief, bytes, constant, counted, gradient, heldBytes, number, shape, takesAn, values } from './number';

function summary(dims: number[], held: Summary['values'], dtype = 'float32'): Summary {
  const norm = 2;
  return {
    shape: dims,
    dtype,
    strides: [],
    nbytes: 0,
    min: 0,
    max: 0,
    mean: 0,
    norm,
    nan_count: 0,
    inf_count: 0,
    values: held,
  };
}

describe('counts', () => {
  it('have separators and a noun in its number', () => {
    expect([counted(1, 'step'), counted(12000, 'step'), counted(0, 'step'), counted(1234)]).toEqual([
      '1 step',
      '12,000 steps',
      '0 steps',
      '1,234',
    ]);
  });

  it('take the bytes of a storage once', () => {
    const slot = (storage: number, nbytes: number) => ({ storage, nbytes });
    expect(heldBytes([slot(1, 4), slot(1, 4), slot(2, 16)])).toBe(20);
  });
});

describe('number', () => {
  it.each([
    [0, '0'],
    [3, '3'],
    [-2.5, '−2.5'],
    [0.30000001192092896, '0.3'],
    [1234.5678, '1235'],
    [12345, '12345'],
    [99999.7, '1e5'],
    [123456, '1.235e5'],
    [0.001, '0.001'],
    [0.00099996, '0.001'],
    [0.00012347, '1.235e−4'],
    [-1e-12, '−1e−12'],
    ['NaN' as const, 'NaN'],
    ['-Infinity' as const, '−Inf'],
  ])('writes %s as %s', (value, text) => {
    expect(number(value)).toBe(text);
  });
});

describe('a constant of the program', () => {
  it.each([
    [1.0001, '1.0001'],
    [-0.5, '−0.5'],
    [123456, '123456'],
    [1 / 3, '≈0.33333'],
    [1.000001, '≈1'],
    [1e-8, '1e−8'],
    [1.23456e-7, '≈1.2346e−7'],
    [-2.5e12, '−2.5e12'],
  ])('is never another number: %s is %s', (value, text) => {
    expect(constant(value)).toBe(text);
  });
});

describe('bytes', () => {
  it.each([
    [0, '0 B'],
    [4, '4 B'],
    [1229, '1.2 KB'],
    [3 * 1024 * 1024, '3 MB'],
    [1023, '1 KB'],
    [150 * 1024, '150 KB'],
  ])('writes %s as %s', (count, text) => {
    expect(bytes(count)).toBe(text);
  });
});

describe('tensors', () => {
  it('show elements while they fit, else the shape', () => {
    expect(shape([64, 128])).toBe('[64, 128]');
    expect(takesAn([64, 128])).toBe(false);
    for (const first of [8, 11, 18, 80, 89, 800, 11000]) expect(takesAn([first])).toBe(true);
    for (const first of [1, 16, 110, 118, 180, 1100]) expect(takesAn([first])).toBe(false);
    expect(values(summary([2, 2], [1, 2, 3, 4]), 20)).toBe('[[1, 2], [3, 4]]');
    expect(values(summary([2, 2], [1, 2, 3, 4]), 10)).toBeNull();
    expect(brief(summary([], [6]))).toBe('6');
    expect(brief(summary([64, 128], [1, 2]))).toBe('f32[64, 128]');
    expect(brief(summary([0], []))).toBe('f32[0]');
    expect(brief(summary([1], [1], 'torch.bool'))).toBe('[True]');
    expect(brief(summary([1], [[1, -2]], 'complex64'))).toBe('[1−2i]');
  });

  it('show a large gradient by its norm', () => {
    expect(gradient(summary([], [-3]))).toBe('−3');
    expect(gradient(summary([64, 128], [1, 2]))).toBe('‖2‖');
  });

  it('show the one number of a gradient with its sign, however little room its brackets have', () => {
    expect(gradient(summary([1, 1], [-3.5432]))).toBe('[[−3.543]]');
    expect(gradient(summary([1, 1], [-3.5432]), 9)).toBe('−3.543');
    expect(gradient(summary([1, 1, 1], [-1.234e-12]), 9)).toBe('−1.234e−12');
    expect(gradient(summary([1, 1], ['-Infinity']), 4)).toBe('−Inf');
    expect(gradient({ ...summary([1, 1], [1]), values: [[-1, -2]], dtype: 'torch.complex64' }, 4)).toBe('−1−2i');
  });
});

describe('a tensor in a few characters', () => {
  const large = { ...summary([300], [1]), nan_count: 2, inf_count: 1 };

  it('says that it has a NaN, as far as there is room', () => {
    expect(brief(large, 18)).toBe('f32[300] NaN');
    expect(brief(large, 9)).toBe('NaN [300]');
    expect(brief(large, 8)).toBe('f32[300]');
    expect(brief({ ...large, nan_count: 0 }, 18)).toBe('f32[300] Inf');
  });
});
