// Protects: a difference is exact where it can be, and what both hold alike differs by nothing.

import { expect, test } from 'vitest';
import { differences } from './elementwise-difference';

test.each([
  [3, 1, 2],
  ['NaN', 'NaN', 0],
  ['Infinity', 'Infinity', 0],
  ['Infinity', 1, 'Infinity'],
  ['NaN', 1, 'NaN'],
  [
    [1, 2],
    [1, 4],
    [0, -2],
  ],
  [9007199254740993n, 9007199254740992n, 1],
] as const)('%s less %s is %s', (value, from, difference) => {
  expect(differences([value as never], [from as never])).toEqual([difference]);
});
