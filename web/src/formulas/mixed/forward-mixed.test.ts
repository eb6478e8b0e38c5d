// Protects: an element that an op mixes of others is written with its own numbers, many terms as their count and what they come to.

import { expect, it } from 'vitest';
import type { OpApplied, Summary } from '../../protocol/events';
import { elementSum } from '../forward-element';
import { elided, gathered, termOf } from './elision';

const tensor = (values: Summary['values'], shape = [values.length]) =>
  ({ shape, values, dtype: 'float32' }) as unknown as Summary;

/** The sum of an element of an op's result; arguments that are no tensors as texts. */
function sumOf(op: string, given: Record<string, Summary | string>, outputs: Summary[], place: number[]) {
  const names = Object.keys(given);
  const inputs = names.map((name) => (typeof given[name] === 'string' ? null : (given[name] as Summary)));
  const args = names.map((name, i) => {
    const held = given[name];
    return typeof held === 'string' ? { name, tensor: null, text: held } : { name, tensor: i, text: null };
  });
  const event = { op, inputs: args, outputs: outputs.map((value) => ({ value })) } as unknown as OpApplied;
  const applied = { op, event, inputs, output: outputs[0]!, held: (tensor: number) => inputs[tensor] ?? null };
  return elementSum(applied, { place, term: null }, false)?.parts.join(' = ') ?? null;
}

const pair = tensor([1, 2]);

it.each<[string, Parameters<typeof sumOf>, string | null]>([
  [
    'softmax',
    ['softmax', { self: pair, dim: '-1' }, [tensor([0.26894142, 0.73105858])], [0]],
    '[0]: exp(1) / (exp(1) + exp(2)) = 0.2689',
  ],
  [
    'softmax along another dim',
    ['softmax', { self: tensor([1, 5, 2, 7], [2, 2]), dim: '0' }, [tensor([0.2689, 0, 0.7311, 0], [2, 2])], [1, 0]],
    '[1, 0]: exp(2) / (exp(1) + exp(2)) = 0.7311',
  ],
  ['of a number that is no softmax', ['softmax', { self: pair, dim: '0' }, [tensor([0.5, 0.5])], [0]], null],
  [
    'complex numbers',
    [
      'cumsum',
      {
        self: tensor([
          [1, 2],
          [3, 4],
        ] as Summary['values']),
        dim: '0',
      },
      [pair],
      [1],
    ],
    null,
  ],
  [
    'mse_loss',
    ['mse_loss', { self: tensor([1, 3]), target: tensor([2, 1]), reduction: '1' }, [tensor([2.5], [])], []],
    '((1 − 2)² + (3 − 1)²) / 2 = 2.5',
  ],
  [
    'a loss that is broadcast',
    ['mse_loss', { self: tensor([1, 3]), target: tensor([2], []), reduction: '2' }, [tensor([2], [])], []],
    '(1 − 2)² + (3 − 2)² = 2',
  ],
  [
    'a loss with weights',
    [
      'binary_cross_entropy',
      { self: tensor([0.5]), target: tensor([1]), weight: tensor([2]), reduction: '1' },
      [tensor([1.386], [])],
      [],
    ],
    null,
  ],
  [
    'nll_loss that ignores a class',
    [
      'nll_loss',
      {
        self: tensor([-1, -2, -3, -4, -5, -6], [3, 2]),
        target: tensor([1, -100, 0]),
        weight: 'None',
        reduction: '1',
        ignore_index: '-100',
      },
      [tensor([3.5], [])],
      [],
    ],
    '(2 + 5) / 2 = 3.5',
  ],
  [
    'a batch in which the mean is that of a run',
    [
      'native_batch_norm',
      {
        input: tensor([1, 2], [1, 2]),
        weight: 'None',
        bias: 'None',
        running_mean: tensor([0, 1]),
        running_var: tensor([1, 0.25]),
        training: 'False',
        eps: '0',
      },
      [tensor([1, 2], [1, 2])],
      [0, 1],
    ],
    '[0, 1]: (2 − 1) / √(0.25 + 0) = 2',
  ],
])('writes %s', (_, given, expected) => {
  expect(sumOf(...given)).toBe(expected);
});

it('leaves terms out in the middle, with their count and what they come to', () => {
  const terms = [1, 2, 3, 4, 5, 6].map((value) => termOf(value));
  const added = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0);
  const ways = elided(terms, added, 4).map(({ texts }) => texts.join(' + '));
  expect(ways[0]).toBe('1 + 2 + (… 2 terms: 7) + 5 + 6');
  expect(ways.at(-1)).toBe('1 + (… 5 terms: 20)');
  expect(gathered(terms, added).texts).toEqual(['(… 6 terms: 21)']);
  expect(elided(terms, added, 4, 3).at(-1)!.texts.join(' + ')).toBe('4 + (… 5 terms: 17)');
  expect(elided(terms, added, 6)[0]!.texts).toHaveLength(6);
});
