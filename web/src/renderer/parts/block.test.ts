// Protects: a slim box says what it holds beside its name where there is no line below it.

import { expect, it } from 'vitest';
import { inLines, namedIn } from './block';

it.each([
  ['4498–4623', 9, '4498–4623'],
  ['4498–4623', 6, '4498–…'],
  ['4498–4623', 5, ''],
  ['lines 12–40', 10, 'lines 12–…'],
  ['attention', 6, 'atten…'],
])('writes %s in %i characters without a number that is another one', (name, chars, shown) => {
  expect(namedIn(name, chars)).toBe(shown);
});

const TEXTS = ['round 2', '‖grad‖ 0.5', '60 ops', '[4]'];

it.each<[lines: number, chars: number, shown: string[]]>([
  [4, 20, TEXTS],
  [1, 40, ['round 2  ‖grad‖ 0.5  60 ops  [4]']],
  [1, 20, ['round 2  ‖grad‖ 0.5']],
  [1, 18, ['round 2  60 ops']],
  [1, 8, ['round 2']],
  [2, 20, ['round 2  ‖grad‖ 0.5', '60 ops  [4]']],
  [3, 12, ['round 2', '‖grad‖ 0.5', '60 ops  [4]']],
])('in %i lines of %i characters', (lines, chars, shown) => {
  expect(inLines(TEXTS, lines, chars)).toEqual(shown);
});
