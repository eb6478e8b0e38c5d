// Protects: a number that is changed keeps how it is written: ints stay ints, exponents and groups of digits stay.

import { expect, it } from 'vitest';
import { changedNumber, readNumber } from './number';

it.each([
  ['2.0', 10, '2.1'],
  ['2.0', -210, '-0.1'],
  ['-0.1', 10, '0.0'],
  ['-2.50', 10, '-2.49'],
  ['0.1', 1, '0.11'],
  ['0.1', 100, '1.1'],
  ['3', 10, '4'],
  ['3', -30, '0'],
  ['3', -40, '-1'],
  ['3', 1, '3'],
  ['1e-3', 10, '2e-3'],
  ['1e-3', 1, '1.1e-3'],
  ['1e-3', -10, '0e-3'],
  ['1.5E3', -10, '1.4E3'],
  ['.5', 10, '.6'],
  ['.5', 50, '1.0'],
  ['5.', -10, '4.'],
  ['999_999', 10, '1_000_000'],
  ['2j', 10, '3j'],
  ['0.30000000000000004', 10, '0.30000000000000005'],
  ['9007199254740993', 10, '9007199254740994'],
])('%s changed by %i tenths of its last unit is %s', (text, tenths, expected) => {
  expect(changedNumber(readNumber(text)!, BigInt(tenths))).toBe(expected);
});

it.each(['0.1', '-7', '1_000', '.25', '3.', '2e10', '1.50'])('%s without a change is what it was', (text) => {
  expect(changedNumber(readNumber(text)!, 0n)).toBe(text);
});

it.each(['0xff', '0b1', '.', '-', '', 'nan', '1e', '1'.repeat(60)])('%s is no number to change', (text) => {
  expect(readNumber(text)).toBeNull();
});
