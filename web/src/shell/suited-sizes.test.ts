// Protects: the code column is as wide as the program needs, up to a third of the window, and low windows have a lower timeline.

import { expect, it } from 'vitest';
import { codeWidth, suitedSizes } from './suited-sizes';

const FIRST = 'import torch\n\nw = torch.tensor(2.0, requires_grad=True)\n';

it('gives the code the width of its longest line with a short value beside it', () => {
  const needed = codeWidth(FIRST);
  expect(needed).toBeGreaterThan(400);
  expect(needed).toBeLessThan(410);
  expect(suitedSizes(needed, { width: 1440, height: 900 }).code).toBe(needed);
  expect(codeWidth(`${FIRST}${' '.repeat(200)}\n`)).toBe(needed);
});

it('gives it a third of the window at most, and room for a short program too', () => {
  const long = `x = ${'1 + '.repeat(100)}1`;
  expect(suitedSizes(codeWidth(long), { width: 1440, height: 900 }).code).toBe(480);
  expect(suitedSizes(codeWidth(FIRST), { width: 1024, height: 768 }).code).toBe(341);
  expect(suitedSizes(codeWidth('x = 1'), { width: 1440, height: 900 }).code).toBe(300);
});

it('leaves a two-layer network its room in a window of 1280 by 720', () => {
  const line = 'W1 = torch.randn(1, 4, requires_grad=True)';
  const { code, inspector, timeline } = suitedSizes(codeWidth(line), { width: 1280, height: 720 });
  expect(1280 - code - inspector).toBeGreaterThanOrEqual(583);
  expect(timeline).toBe(104);
  expect(suitedSizes(codeWidth(line), { width: 1440, height: 900 })).toMatchObject({ inspector: 317, timeline: 120 });
});
