// Protects: formulas read in the reader's names, and with numbers only where every number is known.

import { describe, expect, it } from 'vitest';
import type { Summary } from '../protocol/events';
import { elementAt, matrix as writtenOut } from './arithmetic';
import { bindingOf, conjugated, named, nameLatex, numbered } from './formula';
import { lineText } from './line-text';
import { spoken } from './spoken';

const scalar = (value: number) => ({ shape: [], values: [value], dtype: 'float32' }) as unknown as Summary;
const matrix = { shape: [2], values: [1, 2], dtype: 'float32' } as unknown as Summary;
const bindings = new Map([
  ['self', { name: 'x_1', isVariable: true, value: scalar(-2) }],
  ['other', { name: 'w', isVariable: true, value: scalar(3) }],
]);

const pick = (summary: Summary | null) => summary && writtenOut(summary);

describe('backward formulas', () => {
  it('take the names of the program', () => {
    expect(named('g \\cdot \\text{self}', bindings)).toBe('g \\cdot \\mathtt{x\\_1}');
    expect(named('g \\cdot \\text{result}', bindings)).toBe('g \\cdot \\text{result}');
  });

  it('leave out a scale of 1, and have the program’s own', () => {
    const given = (text: string) => [{ name: 'beta', tensor: null, text }];
    expect(named('\\beta\\, g', bindings)).toBe('g');
    expect(named('\\beta\\, g', bindings, given('0.5'))).toBe('0.5\\,g');
  });

  it.each([
    ['\\frac{2\\, g\\, (\\text{a} - \\text{b})}{n}', '2', '2\\, g\\, (\\text{a} - \\text{b})'],
    ['\\frac{2\\, g\\, (\\text{a} - \\text{b})}{n}', '1', '\\frac{2\\, g\\, (\\text{a} - \\text{b})}{n}'],
    ['-\\frac{1}{n} \\textstyle\\sum g', '0', '-\\textstyle\\sum g'],
    ['\\frac{1}{n}\\, g \\cdot \\text{a}', '2', 'g \\cdot \\text{a}'],
    ['\\frac{g}{n\\,C} \\cdot p', '2', '\\frac{g}{C} \\cdot p'],
    [
      'g \\cdot \\frac{w\\,(\\text{a})}{\\text{a}(1 - \\text{a})\\, n}',
      '2',
      'g \\cdot \\frac{(\\text{a})}{\\text{a}(1 - \\text{a})}',
    ],
    ['-\\frac{g\\, w}{\\text{total\\_weight}}', '2', '-g'],
    ['-\\frac{g\\, w}{\\text{total\\_weight}}', '1', '-\\frac{g}{\\text{total\\_weight}}'],
  ])('divide only the mean of a loss: %s, reduction %s', (latex, reduction, wanted) => {
    const args = [
      { name: 'weight', tensor: null, text: 'None' },
      { name: 'reduction', tensor: null, text: reduction },
    ];
    expect(named(latex, new Map(), args)).toBe(wanted);
  });

  it.each([
    ['None', '\\frac{g}{\\text{result}\\,(n - 1)}'],
    ['2', '\\frac{g}{\\text{result}\\,(n - 2)}'],
    ['0', '\\frac{g}{\\text{result}\\,n}'],
    ['0.5', '\\frac{g}{\\text{result}\\,(n - 0.5)}'],
  ])('divide a variance by the count less its correction, %s', (text, wanted) => {
    const args = [{ name: 'correction', tensor: null, text }];
    expect(named('\\frac{g}{\\text{result}\\,(n - \\text{correction})}', new Map(), args)).toBe(wanted);
  });

  it('call what has no variable by its slot', () => {
    const slots = [bindingOf('self', null, null), bindingOf('other', 'w', null)];
    expect(slots.map(nameLatex)).toEqual(['\\text{self}', '\\mathtt{w}']);
  });

  it.each([
    ['g \\cdot \\text{other}', '1 \\cdot 3'],
    ['-g \\cdot \\frac{g}{\\text{self}}', '-1 \\cdot \\frac{1}{(-2)}'],
    ['\\alpha\\, g', '2 \\cdot 1'],
    ['g \\cdot n \\cdot \\text{self}^{\\,n-1}', '1 \\cdot 3 \\cdot (-2)^{\\,3-1}'],
    ['g \\cdot \\log \\text{other}', '1 \\cdot \\log 3'],
  ])('fill %s with numbers', (latex, filled) => {
    const args = [
      { name: 'alpha', tensor: null, text: '2' },
      { name: 'exponent', tensor: null, text: '3' },
    ];
    expect(numbered(latex, bindings, scalar(1), args)).toBe(filled);
  });

  it('take an element, small matrices, or the number of elements', () => {
    const vectors = new Map([['result', bindingOf('result', null, { ...matrix, values: [0, 2] })]]);
    expect(numbered('\\frac{g}{2\\, \\text{result}}', vectors, matrix, [], elementAt([1]))).toBe(
      '\\frac{2}{2 \\cdot 2}',
    );
    expect(elementAt([3, 1])(matrix)).toBe('2');
    expect(elementAt([1])({ ...matrix, shape: [2, 1] })).toBeNull();
    const product = numbered('\\text{self}^T g', new Map([['self', bindingOf('self', 'x', matrix)]]), matrix, [], pick);
    expect(product && spoken(product)).toBe('[1, 2] transposed [1, 2]');
    expect(numbered('\\frac{g}{n}', new Map([['self', bindingOf('self', 'x', matrix)]]), scalar(1), [])).toBe(
      '\\frac{1}{2}',
    );
  });

  it('stay without numbers where one is a tensor or missing', () => {
    expect(numbered('g', bindings, matrix, [])).toBeNull();
    expect(numbered('g \\cdot \\text{result}', bindings, scalar(1), [])).toBeNull();
  });

  it('have no bound that was not given', () => {
    const bounds = (min: string, max: string) => [
      { name: 'min', tensor: null, text: min },
      { name: 'max', tensor: null, text: max },
    ];
    const rule = 'g \\cdot [\\text{min} \\le \\text{self} \\le \\text{max}]';
    const written = (min: string, max: string) => lineText(named(rule, new Map(), bounds(min, max)));
    expect(written('-1', '2')).toBe('g × [−1 ≤ self ≤ 2]');
    expect(written('None', '2')).toBe('g × [self ≤ 2]');
    expect(written('-1', 'None')).toBe('g × [−1 ≤ self]');
  });

  it('multiply by the conjugate of what is complex', () => {
    const complex = new Map([['other', bindingOf('other', 'w', { ...scalar(0), dtype: 'complex64' })]]);
    const rule = 'g \\cdot \\text{other}';
    expect(conjugated(rule, complex)).toBe('g \\cdot \\operatorname{conj}(\\text{other})');
    expect(conjugated(rule, bindings)).toBe(rule);
  });

  it('have four digits of a number and no brackets around a truth in a line of text', () => {
    expect(lineText('1 \\cdot 0.03333333333333333')).toBe('1 × 0.03333');
    expect(lineText('1 \\cdot [\\lnot\\,\\text{False}]')).toBe('1 × not False');
  });
});
