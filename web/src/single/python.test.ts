// Protects the program of a page in one file: all of its text is there, and its words are distinguished as the editor does.

import { expect, test } from 'vitest';
import { piecesOf } from './python';

const kinds = (program: string) =>
  piecesOf(program).map((line) => line.filter(({ kind }) => kind).map(({ text, kind }) => `${kind} ${text}`));

test('words, strings, numbers and comments are told apart', () => {
  expect(kinds('def step(x):  # one "step"\n    return x.in_ * 2.5e-3 if not None else f"a {x} #"')).toEqual([
    ['keyword def', 'name step', 'comment # one "step"'],
    [
      'keyword return',
      'number 2.5e-3',
      'keyword if',
      'keyword not',
      'number None',
      'keyword else',
      'string f"a {x} #"',
    ],
  ]);
  expect(kinds("x1 = 'it\\'s' + xr'' + model.for_ + 0x1F + .5j")).toEqual([
    ["string 'it\\'s'", "string ''", 'number 0x1F', 'number .5j'],
  ]);
});

test('a string of three quotes goes over lines, one that is not closed ends with its line', () => {
  expect(kinds('a = """one\n# two\n"""; b = 1')).toEqual([
    ['string """one'],
    ['string # two'],
    ['string """', 'number 1'],
  ]);
  expect(kinds("a = 'open\nb = 1")).toEqual([["string 'open"], ['number 1']]);
});

test.each(['', '\n\n', 'x = """never closed\n\\', '# é ≠ \u2028 x\n\ttab', 'def', "'\\", '9x'.repeat(20)])(
  'no text is lost: %j',
  (program) => {
    expect(
      piecesOf(program)
        .map((line) => line.map(({ text }) => text).join(''))
        .join('\n'),
    ).toBe(program);
  },
);
