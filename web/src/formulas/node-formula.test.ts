// Protects: the numbers of a formula come to what the node sent; where a hook changed that, they are left out.

import { describe, expect, it } from 'vitest';
import type { GradientSent, Summary } from '../protocol/events';
import type { OpEntry } from '../run/api';
import { bindingOf } from './formula';
import { type Figures, nodeLines, type Ran } from './node-formula';

const tensor = (shape: number[], values: Summary['values'], dtype = 'float32') =>
  ({ shape, values, dtype }) as unknown as Summary;

/** The numbers of `other`'s gradient in other * self, where it was sent as `sent`. */
function figures(g: Summary, self: Summary, sent: Summary): Figures | null {
  const entry = {
    elementwise: true,
    conjugates: true,
    latex: { other: 'g \\cdot \\text{self}' },
  } as unknown as OpEntry;
  const ran = {
    inputs: [{ name: 'other', tensor: 1, text: null }],
    outputs: [],
    edges: [{ node: 5, input_nr: 0 }],
    saved: [],
    run: { gradients: [g], sent: [{ input_nr: 0, value: sent, reduced_from: null } as unknown as GradientSent] },
  } as unknown as Ran;
  return nodeLines(entry, ran, new Map([['self', bindingOf('self', 'x', self)]]))[0]!.figures;
}

it('has the conjugate of what is complex, unless the rules of its op have their own', () => {
  const complex = tensor(
    [2],
    [
      [1, 2],
      [3, 4],
    ] as Summary['values'],
    'complex64',
  );
  const ran = {
    inputs: [{ name: 'other', tensor: 1, text: null }],
    outputs: [{ tensor: 2, value: complex }],
    edges: [{ node: 5, input_nr: 0 }],
    saved: [],
    run: null,
  } as unknown as Ran;
  const general = (conjugates: boolean) => {
    const entry = { elementwise: true, conjugates, latex: { other: 'g \\cdot \\text{self}' } } as unknown as OpEntry;
    return nodeLines(entry, ran, new Map([['self', bindingOf('self', 'x', complex)]]))[0]!.formula;
  };
  expect(general(true)).toBe('g \\cdot \\operatorname{conj}(\\mathtt{x})');
  expect(general(false)).toBe('g \\cdot \\mathtt{x}');
});

describe('the numbers of an elementwise op', () => {
  it('are those of the largest element', () => {
    const found = figures(tensor([2], [1, 12]), tensor([2], [2, 3]), tensor([2], [2, 36]));
    expect(found).toEqual({ filled: '12 \\cdot 3', brief: '12 \\cdot 3', result: '36', place: [1] });
  });

  it('are left out where a hook changed what was sent, of one element and of several', () => {
    expect(figures(tensor([2], [1, 12]), tensor([2], [2, 3]), tensor([2], [3, 37]))).toBeNull();
    expect(figures(tensor([], [12]), tensor([], [3]), tensor([], [37]))).toBeNull();
    expect(figures(tensor([], [12]), tensor([], [3]), tensor([], [36]))?.filled).toBe('12 \\cdot 3');
  });

  it('are there where the dtype rounds them, and where they are not finite', () => {
    const half = figures(
      tensor([2], [1, 0.1], 'float16'),
      tensor([2], [0, 3], 'float16'),
      tensor([2], [0, 0.3002], 'float16'),
    );
    expect(half?.filled).toBe('0.1 \\cdot 3');
    const broken = figures(tensor([2], [1, 12]), tensor([2], [2, 'NaN']), tensor([2], [2, 'NaN']));
    expect(broken?.result).toBe('\\text{NaN}');
    expect(figures(tensor([], [2]), tensor([], [-3]), tensor([], ['Infinity']))).toBeNull();
  });
});
