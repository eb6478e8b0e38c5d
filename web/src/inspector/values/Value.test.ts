// Protects: a value is shown whole where it is small, and as its first elements with statistics where it is not.

import { render, screen } from '@testing-library/svelte';
import { expect, it } from 'vitest';
import type { Summary } from '../../protocol/events';
import Value from './Value.svelte';

function summary(shape: number[], values: Summary['values'], more: Partial<Summary> = {}): Summary {
  return {
    shape,
    values,
    dtype: 'float32',
    strides: shape.map(() => 1),
    nbytes: 4 * values.length,
    min: null,
    max: null,
    mean: null,
    norm: null,
    nan_count: 0,
    inf_count: 0,
    ...more,
  };
}

it('shows a scalar large', () => {
  render(Value, { summary: summary([], [-3.5]), label: 'x' });
  expect(screen.getByText('−3.5')).toBeTruthy();
  expect(screen.queryByRole('table')).toBeNull();
});

it('shows a small tensor as a table with its scale', () => {
  render(Value, { summary: summary([2, 2], [1, -2, 0.5, 4]), label: 'w' });
  expect(screen.getAllByRole('cell').map((cell) => cell.textContent)).toEqual([
    '1.0000',
    '−2.0000',
    '0.5000',
    '4.0000',
  ]);
  expect(screen.getByText('−4')).toBeTruthy();
});

it('shows the first elements of a large one, with statistics', () => {
  const values = Array.from({ length: 16 }, (_, index) => index);
  render(Value, { summary: summary([64, 128], values, { min: 0, max: 8191 }), label: 'w' });
  expect(screen.getByText(/The first 16 of 8,192 elements./)).toBeTruthy();
  expect(screen.getByText('8191')).toBeTruthy();
});

it('counts what is not a number', () => {
  render(Value, { summary: summary([2], ['NaN', 1], { nan_count: 1 }), label: 'w' });
  expect(screen.getByText('1 NaN of 2 elements')).toBeTruthy();
});

it('says of complex numbers that they are measured by magnitude, on a scale that begins at zero', () => {
  render(Value, { summary: summary([2], [[3, 4], [0, -1]], { dtype: 'complex64' }), label: 'z' }); // biome-ignore format: pairs
  expect(screen.getByText('Of complex numbers, by magnitude:')).toBeTruthy();
  expect(screen.getByRole('img', { name: 'Colour scale of magnitudes from 0 to 5' })).toBeTruthy();
});
