// Protects: a slim box says what it holds beside its name where there is no line below it.

import { expect, it } from 'vitest';
import { inLines } from './block';

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
