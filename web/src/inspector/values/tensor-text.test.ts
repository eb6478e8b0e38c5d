// Protects: what is copied is the tensor: as PyTorch prints it, as Python of the same values and dtype, as CSV.

import { expect, test } from 'vitest';
import { type Whole, written } from './tensor-text';

const matrix: Whole = { shape: [2, 2], dtype: 'float32', values: [1, -0.5, 'NaN', '-Infinity'] };

test('as PyTorch prints it', () => {
  expect(written(matrix, 'text')).toBe('tensor([[ 1.0000, -0.5000],\n        [    nan,    -inf]])');
  expect(written({ shape: [], dtype: 'torch.float64', values: [2] }, 'text')).toBe('tensor(2., dtype=torch.float64)');
  expect(written({ shape: [2, 0], dtype: 'float32', values: [] }, 'text')).toBe('tensor([], size=(2, 0))');
  expect(written({ shape: [2, 1, 2], dtype: 'int64', values: [1, 2, 3, 4] }, 'text')).toBe(
    'tensor([[[1, 2]],\n\n        [[3, 4]]])',
  );
});

test.each([
  [matrix, "torch.tensor([[1.0, -0.5],\n              [float('nan'), float('-inf')]], dtype=torch.float32)"],
  [{ shape: [], dtype: 'torch.float64', values: [-0] }, 'torch.tensor(-0.0, dtype=torch.float64)'],
  [{ shape: [0], dtype: 'int64', values: [] }, 'torch.empty((0,), dtype=torch.int64)'],
  [{ shape: [1], dtype: 'int64', values: [9007199254740993n] }, 'torch.tensor([9007199254740993], dtype=torch.int64)'],
  [{ shape: [2], dtype: 'bool', values: [1, 0] }, 'torch.tensor([True, False], dtype=torch.bool)'],
  [
    { shape: [1], dtype: 'complex64', values: [[1, 'NaN']] },
    "torch.tensor([complex(1.0, float('nan'))], dtype=torch.complex64)",
  ],
  [{ shape: [1], dtype: 'bfloat16', values: [1e30] }, 'torch.tensor([1e+30], dtype=torch.bfloat16)'],
] as [Whole, string][])('as Python', (whole, text) => {
  expect(written(whole, 'python')).toBe(text);
});

test('as CSV: a matrix by its rows, more dims by index', () => {
  expect(written(matrix, 'csv')).toBe('1,-0.5\nnan,-inf\n');
  expect(written({ shape: [2], dtype: 'complex64', values: [[1, -2], [0, 1]] }, 'csv')).toBe('1-2j\n0+1j\n'); // biome-ignore format: pairs
  expect(written({ shape: [1, 1, 2], dtype: 'bool', values: [1, 0] }, 'csv')).toBe(
    'dim 0,dim 1,dim 2,value\n0,0,0,True\n0,0,1,False\n',
  );
});
