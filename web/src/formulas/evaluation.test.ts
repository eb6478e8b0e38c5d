// Protects: a formula of numbers is evaluated as it is written, and any other formula is recognised.

import { describe, expect, it } from 'vitest';
import { evaluated } from './evaluation';

describe('a formula of numbers', () => {
  it.each([
    ['0.5 \\cdot (1 - (2 \\cdot 0.5 + 4 \\cdot 0.25))', -0.5],
    ['3 - e^{0} (1 + 2)', 0],
    ['-\\frac{1}{(-2)}', 0.5],
    ['\\frac{2}{4}\\, (3 - 1)\\, 2', 2],
    ['2 \\cdot 3 \\cdot 4^{\\,3-1}', 96],
    ['5 \\cdot [(-2) > 0]', 0],
    ['2 \\cdot (1 > 0\\ ?\\ 1 : 0.1)', 2],
    ['\\tfrac12\\, 1 \\cdot 1e-2', 0.005],
    ['1 \\cdot \\ln 1', 0],
    ['2 (t + 1 \\cdot t^2),\\ t = -3', 12],
  ])('%s comes to a number', (latex, value) => {
    expect(evaluated(latex)).toBeCloseTo(value, 12);
  });

  it.each(['2 \\text{ at the index}', '\\frac{1}{k}', '2 \\cdot', '(1', '', '\\dots + 1'])('%s does not', (latex) => {
    expect(evaluated(latex)).toBeNull();
  });
});
