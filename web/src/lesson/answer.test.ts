// Protects: what a reader types is read as the value that a program would give, and compared as the server compares it.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readAnswer, written } from './answer';
import { same, type Value } from './same';

type Table = {
  values: { expression: string; value: Value }[];
  comparisons: { one: string; other: string; within?: number; same: boolean }[];
};
// tests/server/lessons/test_answers.py holds the server to the same table.
const TABLE = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../tests/golden/answers.json'), 'utf8'),
) as Table;

function read(typed: string, words = false): Value {
  const reading = readAnswer(typed, words);
  if ('problem' in reading) throw new Error(`${typed}: ${reading.problem}`);
  return reading.value;
}

it.each(TABLE.values)('reads $expression as the server does', ({ expression, value }) => {
  expect(read(expression)).toEqual(value);
});

it.each(TABLE.comparisons)('compares $one with $other as the server does', ({ one, other, within, same: equal }) => {
  expect(same(read(one), read(other), within)).toBe(equal);
  expect(same(read(other), read(one), within)).toBe(equal);
});

it.each([
  ['  7 ', '7'],
  ['+.5', '0.5'],
  ['−3', '-3'],
  ['5.', '5'],
  ['1/3', '0.333333'],
  ['2 × 3', '6'],
  ['2^3', '8'],
  ['tensor(7., grad_fn=<MulBackward0>)', '7'],
  ["tensor([1., 2.], device='cpu', dtype=torch.float64, grad_fn=<AddBackward0>)", '[1, 2]'],
  ['tensor([], size=(3, 0))', '[[], [], []]'],
  ['[tensor(1.), tensor(2.)]', '[1, 2]'],
  ['1, 2', '[1, 2]'],
  ['[[1, 2], [3, 4],]', '[[1, 2], [3, 4]]'],
  ['np.nan', 'NaN'],
  ['[nan, -inf]', '[NaN, -Infinity]'],
  ['-Infinity', '-Infinity'],
  ['none', 'None'],
  ['true', 'True'],
  ['"a b"', "'a b'"],
  ['1+2j', '1+2j'],
  ['[1j, 2-1j]', '[0+1j, 2-1j]'],
])('reads %s as %s', (typed, text) => {
  expect(written(read(typed))).toBe(text);
});

it('says what it computed, and a row without brackets', () => {
  expect(readAnswer('2 * 3 + 1')).toMatchObject({ echo: '7' });
  expect(readAnswer('0,5')).toMatchObject({ echo: '[0, 5]' });
  expect(readAnswer('[1, 2]')).toMatchObject({ echo: null });
  expect(readAnswer('-7')).toMatchObject({ echo: null });
});

it('takes a word for a text where the answer is one', () => {
  expect(read('MulBackward0', true)).toEqual({ kind: 'text', text: 'MulBackward0' });
  expect(read('constructor', true)).toEqual({ kind: 'text', text: 'constructor' });
  expect(read('None', true)).toEqual({ kind: 'none' });
});

it.each([
  ['', 'Type an answer'],
  ['x', 'x is a name'],
  ['2 * x', 'x is a name'],
  ['constructor', 'constructor is a name'],
  ['x.sum()', 'x.sum() is not computed'],
  ['f(1)', 'f() is not computed'],
  ['[1, 2', 'A ] or a comma is missing'],
  ['(1', 'A ) or a comma is missing'],
  ['tensor([1, 2]', 'A ) or a comma is missing'],
  ['7 8', '8 cannot be read here'],
  ['2 *', 'Something is missing at the end'],
  ['[[1, 2], [3]]', 'different lengths'],
  ['[1, [2]]', 'different lengths'],
  ['1 / 0', 'cannot be divided by 0'],
  ['2 ** 5000', 'too large'],
  ["float('seven')", 'A number is missing'],
  ['torch.Size(3)', 'Write a shape as [2, 3]'],
  ['7;', '; cannot be read'],
  ['[1, None]', 'A number is missing'],
  ['[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]', 'nested too deep'],
  [`[${'1, '.repeat(300)}]`, 'more than 256 numbers'],
  ['1'.repeat(9000), 'longer than an answer'],
])('says of %s: %s', (typed, problem) => {
  expect(readAnswer(typed)).toEqual({ problem: expect.stringContaining(problem) });
});
