// Protects: formulas of a step hold the numbers of the run, a term for each edge, and say nothing that does not add up.

import { describe, expect, it } from 'vitest';
import type { Summary } from '../protocol/events';
import { foldLatex, sumLatex, updateLatex } from './arithmetic';
import { spoken } from './spoken';
import { unfolded } from './unfolded';

const tensor = (shape: number[], values: number[]) => ({ shape, values, dtype: 'float32' }) as unknown as Summary;
const said = (latex: string | null) => (latex === null ? null : spoken(latex));

describe('a sum of gradients', () => {
  it('has a line for each edge', () => {
    const terms = [
      { value: tensor([], [3]), from: 'MulBackward0' },
      { value: tensor([], [-4]), from: 'PowBackward0' },
    ];
    expect(said(sumLatex('\\nabla x', terms, tensor([], [-1])))).toBe('∇ x = 3, MulBackward0 -4, PowBackward0 = -1');
  });

  it('is that of the element that says most, where a tensor is too large', () => {
    const values = Array.from({ length: 16 }, (_, i) => i);
    const terms = [0, 1].map(() => ({ value: tensor([20, 20], values), from: 'MulBackward0' }));
    const total = tensor(
      [20, 20],
      values.map((value) => 2 * value),
    );
    expect(said(sumLatex('\\nabla x', terms, total))).toMatch(/^\(∇ x\[0,15\]\) = 15, .* \+ 15, .* = 30$/);
  });

  it('is not made up of what is not known', () => {
    expect(sumLatex('x', [{ value: tensor([300], []), from: 'a' }], tensor([300], []))).toBeNull();
  });
});

describe('a broadcast that is folded back', () => {
  const g = tensor([2, 3], [1, 2, 3, 4, 5, 6]);

  it('adds up the elements that the formula gave', () => {
    const before = unfolded('g \\cdot \\text{other}', g, [2, 3], () => tensor([3], [1, 10, 100]))!;
    expect(said(foldLatex('\\nabla b', before, tensor([3], [5, 70, 900])))).toBe(
      '(∇ b[0]) = 1 + 4 = 5 (∇ b[1]) = 20 + 50 = 70 (∇ b[2]) = 300 + 600 = 900',
    );
    expect(said(foldLatex('\\nabla b', unfolded('-g', g, [2, 3], () => null)!, tensor([], [-21])))).toBe(
      '∇ b = -1 - 2 - 3 - 4 - 5 - 6 = -21',
    );
  });

  it('is silent where the numbers do not come to the result, or another formula stands there', () => {
    expect(foldLatex('\\nabla b', unfolded('g', g, [2, 3], () => null)!, tensor([3], [5, 7, 10]))).toBeNull();
    expect(unfolded('g \\cdot e^{\\text{self}}', g, [2, 3], () => null)).toBeNull();
  });
});

describe('an update', () => {
  const of = (descent: { rate: number; grad: Summary } | null) => {
    const { general, figures } = updateLatex('w', {
      tensor: 1,
      before: tensor([], [2]),
      after: tensor([], [1.5]),
      change: 0.5,
      descent,
      stepped: null,
    });
    return [said(general), said(figures)];
  };

  it('takes a rate times the gradient, or what was added', () => {
    expect(of({ rate: 0.1, grad: tensor([], [5]) })).toEqual(['w ← w - 0.1 × w.grad', 'w ← 2 - 0.1 × 5 = 1.5']);
    const rows = tensor([2, 2], [1, -2, 3, -4]);
    const doubled = {
      tensor: 1,
      before: rows,
      after: tensor([2, 2], [2, -4, 6, -8]),
      change: 1,
      descent: null,
      stepped: null,
    };
    expect(said(updateLatex('w', doubled).figures)).toBe(
      'w ← [[1, -2], [3, -4]] + [[1, -2], [3, -4]] = [[2, -4], [6, -8]]',
    );
    expect(of(null)).toEqual(['w ← w + Δ', 'w ← 2 -0.5 = 1.5']);
  });
});
