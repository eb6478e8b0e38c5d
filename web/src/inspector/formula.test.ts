// Protects: formulas read in the reader's names, and with numbers only where every number is known.

import { describe, expect, it } from 'vitest';
import type { Summary } from '../protocol/events';
import { bindingOf, named, nameLatex, numbered } from './formula';

const scalar = (value: number) => ({ shape: [], values: [value], dtype: 'float32' }) as unknown as Summary;
const matrix = { shape: [2], values: [1, 2], dtype: 'float32' } as unknown as Summary;
const bindings = new Map([
  ['self', { name: 'x_1', isVariable: true, value: scalar(-2) }],
  ['other', { name: 'w', isVariable: true, value: scalar(3) }],
]);

describe('backward formulas', () => {
  it('take the names of the program', () => {
    expect(named('g \\cdot \\text{self}', bindings)).toBe('g \\cdot \\mathtt{x\\_1}');
    expect(named('g \\cdot \\text{result}', bindings)).toBe('g \\cdot \\text{result}');
  });

  it('call what has no variable by its slot', () => {
    const slots = [bindingOf('self', null, null), bindingOf('other', 'w', null)];
    expect(slots.map(nameLatex)).toEqual(['\\text{self}', '\\mathtt{w}']);
  });

  it.each([
    ['g \\cdot \\text{other}', '1 \\cdot 3'],
    ['-g \\cdot \\frac{g}{\\text{self}}', '-1 \\cdot \\frac{1}{(-2)}'],
    ['\\alpha\\, g', '2\\,1'],
    ['g \\cdot n \\cdot \\text{self}^{\\,n-1}', '1 \\cdot 3 \\cdot (-2)^{\\,3-1}'],
    ['g \\cdot \\log \\text{other}', '1 \\cdot \\log 3'],
  ])('fill %s with numbers', (latex, filled) => {
    const args = [
      { name: 'alpha', tensor: null, text: '2' },
      { name: 'exponent', tensor: null, text: '3' },
    ];
    expect(numbered(latex, bindings, scalar(1), args)).toBe(filled);
  });

  it('stay without numbers where one is a tensor or missing', () => {
    expect(numbered('g', bindings, matrix, [])).toBeNull();
    expect(numbered('g \\cdot \\text{result}', bindings, scalar(1), [])).toBeNull();
  });
});
