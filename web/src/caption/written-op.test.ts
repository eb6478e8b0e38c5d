// Protects: an op is written as in a program, with four significant digits, and the element where a NaN begins is named.

import { describe, expect, it } from 'vitest';
import { isolated, pieces } from '../format/bidi';
import { power } from '../layout/symbol';
import type { Argument, OpApplied, Summary } from '../protocol/events';
import type { RunState } from '../timeline/state';
import { firstBadPlace, making } from './nan-cause';
import { asOperand, expressionOf } from './written-op';

function inputs(...given: [string, number | string][]): Argument[] {
  return given.map(([name, held]) => ({
    name,
    tensor: typeof held === 'number' ? held : null,
    text: typeof held === 'string' ? held : null,
  }));
}

const manyOf = (count: number) => Array.from({ length: count }, (_, i): [string, number] => [`tensors[${i}]`, i % 2]);
const NAMES = 'xyz';
const letter = (tensor: number) => NAMES[tensor]!;
const written = (op: string, ...given: [string, number | string][]) =>
  expressionOf(op, inputs(...given), letter, letter);

describe('an op in the words of a program', () => {
  it.each<[string, string, ...[string, number | string][]]>([
    ['stack(x, y, x, y, x, y, …, y)', 'stack', ...manyOf(64)],
    ['x == 0', 'eq', ['self', 0], ['other', '0']],
    ['x >= y', 'ge', ['self', 0], ['other', 1]],
    ['x & y', 'bitwise_and', ['self', 0], ['other', 1]],
    ['x % 25', 'remainder_number', ['self', 0], ['other', '25']],
    ['~x', 'bitwise_not', ['self', 0]],
    ['−x', 'neg', ['self', 0]],
    ['1 − x', 'rsub', ['self', 0], ['other', '1'], ['alpha', '1']],
    ['x + 2 × y', 'add', ['self', 0], ['other', 1], ['alpha', '2']],
    ['x ÷ 2.828', 'div', ['self', 0], ['other', '2.8284271247461903']],
    ['x^−0.5', 'pow', ['self', 0], ['exponent', '-0.5']],
    ['x @ y', 'mm', ['self', 0], ['mat2', 1]],
    ['reshape(x)', 'unsafe_view', ['self', 0], ['size', '(2, 12)']],
    ['contiguous(x)', 'clone', ['self', 0], ['memory_format', 'torch.contiguous_format']],
    ['clone(x)', 'clone', ['self', 0], ['memory_format', 'None']],
    ['x[0]', 'select', ['self', 0], ['dim', '0'], ['index', '0']],
    ['x[:, :, −1]', 'select', ['self', 0], ['dim', '2'], ['index', '-1']],
    ['x[:, 1:3]', 'slice', ['self', 0], ['dim', '1'], ['start', '1'], ['end', '3'], ['step', '1']],
    ['x[:4:2]', 'slice', ['self', 0], ['dim', '0'], ['start', '0'], ['end', '4'], ['step', '2']],
    ['x[1:]', 'slice', ['self', 0], ['dim', '0'], ['start', '1'], ['end', '9223372036854775807'], ['step', '1']],
    ['x[y, z]', 'index', ['self', 0], ['indices[0]', 1], ['indices[1]', 2]],
    ['x[…]', 'index', ['self', 0], ['indices', '(None, tensor([True]))']],
    ['where(z, x, 0)', 'where', ['self', 0], ['other', '0.0'], ['condition', 2]],
    ['masked_fill(x, y, −inf)', 'masked_fill', ['self', 0], ['mask', 1], ['value', '-inf']],
    ['clamp(x, min=0.1235)', 'clamp', ['self', 0], ['min', '0.123456'], ['max', 'None']],
    ['squeeze_(x)', 'squeeze_dim_', ['self', 0], ['dim', '0']],
    ['2^x', 'pow_base', ['exponent', 0], ['self', '2']],
    ['x ÷ y', 'div_unrounded', ['self', 0], ['other', 1]],
    ["div(x, y, rounding_mode='floor')", 'div_mode', ['self', 0], ['other', 1], ['rounding_mode', "'floor'"]],
    ['fmod(x, 0.7)', 'fmod_number', ['self', 0], ['other', '0.7']],
    ['xlogy(2.5, x)', 'xlogy_of_number', ['other', 0], ['self', '2.5']],
    ['linalg.inv(x)', 'linalg_inv_ex', ['self', 0]],
    ['special.i1e(x)', 'special_i1e', ['self', 0]],
    ['fft.ifft(x)', 'fft_c2c', ['self', 0], ['forward', 'False']],
    ['fft.fft(x)', 'fft_c2c', ['self', 0], ['forward', 'True']],
    ['interpolate(x)', 'upsample_bilinear2d_aa', ['self', 0]],
    ['x += y', 'add_', ['self', 0], ['other', 1], ['alpha', '1']],
  ])('%s', (text, op, ...given) => {
    expect(written(op, ...given)).toBe(text);
  });
});

function summary(shape: number[], values: Summary['values']): Summary {
  const bad = values.flat();
  return {
    shape,
    strides: [],
    dtype: 'torch.float32',
    nbytes: 0,
    min: null,
    max: null,
    mean: null,
    norm: null,
    nan_count: bad.filter((value) => value === 'NaN').length,
    inf_count: bad.filter((value) => typeof value === 'string' && value !== 'NaN').length,
    values,
  };
}

function made(op: string, result: Summary, ...operands: (Summary | string)[]): string | null {
  const names = op.startsWith('pow') ? ['self', 'exponent'] : ['self', 'other'];
  const given = operands.map((one, i) => [names[i]!, typeof one === 'string' ? one : i] as [string, number | string]);
  const held = new Map(operands.map((one, i) => [i, one]));
  const tensors = { get: (tensor: number) => ({ values: { at: () => held.get(tensor) } }) };
  const state = { seq: 1, history: { tensors }, tensor: () => null } as unknown as RunState;
  return making({ op, inputs: inputs(...given) } as OpApplied, result, state);
}

describe('what made the first element that is not finite', () => {
  it('is told with the numbers at its place, also where an operand was broadcast', () => {
    const result = summary([2, 2], [1, 2, 'NaN', 4]);
    expect(firstBadPlace(result)).toEqual([1, 0]);
    expect(made('div', result, summary([2, 2], [1, 2, 0, 4]), summary([2, 1], [1, 0]))).toBe('0 ÷ 0');
    expect(made('div', result, summary([2, 2], [1, 2, -3, 4]), '-2')).toBe('−3 ÷ (−2)');
    expect(made('log', summary([], ['-Infinity']), summary([], [0]))).toBe('log(0)');
    expect(made('pow', summary([1], ['NaN']), summary([1], [-2]), '0.5')).toBe('(−2)^0.5');
  });

  it('is not guessed where an element comes from several, or is not known', () => {
    expect(made('softmax', summary([2], ['NaN', 1]), summary([2], [1, 1]))).toBeNull();
    expect(made('div', summary([9], [1]), summary([9], [1]), '0')).toBeNull();
  });
});

describe('text of the program in a sentence', () => {
  it('keeps its direction to itself', () => {
    expect(isolated('plain')).toBe('plain');
    const told = `The program prints “${isolated('a\u202eb\u2069c')}”.`;
    expect(pieces(told)).toEqual([
      { text: 'The program prints “', own: true },
      { text: 'abc', own: false },
      { text: '”.', own: true },
    ]);
  });
});

it('has brackets where a sign beside it would take a part of it', () => {
  const texts = ['x', 'sum(x, y)', 'x[:, 1]', '[1, 2]', '(a + b) − (c + d)', '−x', '1−2i'];
  expect(texts.map(asOperand)).toEqual([...texts.slice(0, 4), '((a + b) − (c + d))', '−x', '(1−2i)']);
  expect(['x', 'abs(x)', '(x − y)', '−x', 'x²', 'x^0.5'].map((base) => power('2', base))).toEqual([
    'x²',
    'abs(x)²',
    '(x − y)²',
    '(−x)²',
    '(x²)²',
    '(x^0.5)²',
  ]);
});
