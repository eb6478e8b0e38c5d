// Protects: a slim box says what it holds beside its name where there is no line below it.

import { expect, it } from 'vitest';
import { crossIn, inLines, namedIn, nameIn } from './block';

it.each([
  ['4498–4623', 9, '4498–4623'],
  ['4498–4623', 6, '4498–…'],
  ['4498–4623', 5, ''],
  ['lines 12–40', 10, 'lines 12–…'],
  ['attention', 6, 'atten…'],
  ['for layer · 4/10', 14, 'for la… · 4/10'],
  ['for layer · 4/10', 10, '4/10'],
  ['for layer · 4/10', 3, ''],
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

it.each([
  ['encoder.0', '0', 9, 9, 'encoder.0'],
  ['encoder.0', '0', 8, 9, 'encoder.0'],
  ['encoder.0', '0', 7, 8, 'encod….0'],
  ['blocks.11', '11', 6, 7, 'blo….11'],
  ['encoder.0', '0', 4, 5, '0'],
  ['round 12', '12', 5, 6, '12'],
  ['self_attention', 'attention', 9, 10, 'attention'],
])('calls %s, in short %s, in %i or %i characters %s', (name, short, chars, digits, shown) => {
  expect(nameIn({ name, short }, chars, digits)).toBe(shown);
});

it('crosses a box out in its corner, and where that has its text on the rims', () => {
  const name = (text: string) => ({ text, x: 20, y: 10, colour: '', weight: 600 });
  const box = { x: 0, y: 0, width: 40, height: 20 };
  expect(crossIn({ scale: 1 }, box, [name('1')])).toEqual({ x: 30, y: 10, arm: 5 });
  expect(crossIn({ scale: 1 }, box, [name('1234')])).toEqual({ x: 40, y: 20, arm: 4 });
});
