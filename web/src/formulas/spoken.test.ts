// Protects: a formula is read aloud in words and signs that a voice has, without a trace of how it is typeset.

import { expect, it } from 'vitest';
import { spoken } from './spoken';

it.each([
  ['\\nabla \\mathtt{h} = \\frac{g}{2\\, \\mathtt{root}}', '∇ h = g / (2 root)'],
  ['(\\nabla \\mathtt{h})_{0} = \\frac{0}{2\\, 0} = \\text{NaN}', '(∇ h[0]) = 0 / (2 0) = NaN'],
  ['\\phantom{\\nabla \\mathtt{x\\_1}} = 1 \\cdot 3 \\cdot (-2)^{\\,3-1}', '= 1 × 3 × (-2)^(3-1)'],
  ['\\sum_{\\text{dim }0} \\left(g \\cdot \\mathtt{m}\\right)', 'sum over dim 0 of (g × m)'],
  ['\\text{self}^T g', 'self transposed g'],
  ['g \\cdot [\\text{min} \\le \\text{self} \\le \\text{max}]', 'g × [min ≤ self ≤ max]'],
  ['g\\ \\text{at the indices}', 'g at the indices'],
  ['-g \\cdot \\frac{\\text{self}}{\\text{self}^2 + \\text{other}^2}', '-g × self / (self^2 + other^2)'],
  ['g \\cdot \\frac{2}{\\sqrt\\pi} e^{-\\text{self}^2}', 'g × 2 / (√ pi) e^(-self^2)'],
  [
    '\\frac{g\\, (\\text{self} - \\overline{\\text{self}})}{\\text{result}\\,(n - 1)}',
    'g (self - mean of self) / (result (n - 1))',
  ],
])('%s', (latex, said) => {
  expect(spoken(latex)).toBe(said);
});

it('has no brackets twice', () => {
  expect(spoken('1 - e^{(-0.5)} (1 + 3)')).toBe('1 - e^(-0.5) (1 + 3)');
});
