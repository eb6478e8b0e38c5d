// Protects: what becomes of a leaf in a step is a sum of the numbers that the log has, by elements, by one of them, or by norms.

import { expect, it } from 'vitest';
import type { Naming } from '../../caption/naming';
import type { Summary, TensorElement } from '../../protocol/events';
import type { RunState } from '../../timeline/state';
import { checkedLeaf } from '../shown';
import { leafSums } from './leaf-sum';

const tensor = (values: TensorElement[], shape = [values.length], norm = 1): Summary =>
  ({ shape, values, dtype: 'float32', norm, nan_count: 0, inf_count: 0 }) as unknown as Summary;
const naming = { variable: () => 'w', leaf: () => 'w', grad: () => 'w.grad' } as unknown as Naming;

function lines(event: object, earlier: object | null = null, place: number[] | null = null): string[] {
  const stepped = new Map([[1, { at: () => (earlier ? { state: earlier } : undefined) }]]);
  const state = { events: [event], history: { stepped } } as unknown as RunState;
  return leafSums(state, naming, () => place).flatMap(({ sums }) =>
    sums.map(({ parts, arrow }) => `${parts.join(' = ')}${arrow === null ? '' : ` → ${arrow}`}`),
  );
}

const grown = (before: Summary | null, added: Summary, after: Summary) => ({
  kind: 'grad_accumulated',
  tensor: 1,
  node: 2,
  before,
  added,
  after,
});

it.each<[string, Parameters<typeof grown>, string[]]>([
  ['numbers', [tensor([3], []), tensor([4], []), tensor([7], [])], ['w.grad: 3 + 4 = 7']],
  ['a first gradient', [null, tensor([4], []), tensor([4], [])], []],
  ['elements', [tensor([1, 2]), tensor([3, -4]), tensor([4, -2])], ['w.grad: [1, 2] + [3, −4] = [4, −2]']],
  ['what is not finite', [tensor([1], []), tensor(['NaN'], []), tensor(['NaN'], [])], ['w.grad: 1 + NaN = NaN']],
  [
    'complex numbers',
    [tensor([[1, 2]], []), tensor([[0, -3]], []), tensor([[1, -1]], [])],
    ['w.grad: (1+2i) + (0−3i) = 1−1i'],
  ],
  [
    'one of many',
    [tensor([0.125, 2.25, 3.5]), tensor([1.125, 9.75, 0.5]), tensor([1.25, 12, 4])],
    ['w.grad[1]: 2.25 + 9.75 = 12'],
  ],
  [
    'the one that changes most',
    [tensor([12.125, 2.25, 3.5]), tensor([0, 0.125, 0.5]), tensor([12.125, 2.375, 4])],
    ['w.grad[2]: 3.5 + 0.5 = 4'],
  ],
  [
    'norms',
    [tensor([1], [64, 128], 3), tensor([1], [64, 128], 4), tensor([2], [64, 128], 6.5)],
    ['w.grad [64, 128]: ‖3‖ + ‖4‖ → ‖6.5‖'],
  ],
  ['numbers that a hook changed', [tensor([3], []), tensor([4], []), tensor([9], [])], []],
  ['nothing', [tensor([], [0]), tensor([], [0]), tensor([], [0])], []],
])('adds up %s', (_, event, expected) => {
  const found = lines(grown(...event));
  expect(found).toEqual(expected);
  expect(found.map((line) => checkedLeaf(line).wrong)).toEqual(found.map(() => null));
});

it('has the element that the reader follows', () => {
  expect(lines(grown(tensor([1, 2]), tensor([3, 4]), tensor([4, 6])), null, [0])).toEqual(['w.grad[0]: 1 + 3 = 4']);
});

const stepped = (optimizer: string, options: object, lr: number, update: object) => ({
  kind: 'optimizer_stepped',
  seq: 9,
  optimizer,
  groups: [{ lr, options }],
  updates: [{ tensor: 1, name: 'w', group: 0, change: null, state: {}, ...update }],
});

it.each<[string, Parameters<typeof stepped>, object | null, string[]]>([
  [
    'SGD',
    ['SGD', {}, 0.1, { before: tensor([3], []), grad: tensor([4], []), after: tensor([2.6], []) }],
    null,
    ['w ← w − lr × w.grad = 3 − 0.1 × 4 = 2.6'],
  ],
  [
    'momentum',
    [
      'SGD',
      { momentum: '0.9' },
      0.1,
      {
        before: tensor([3, 1]),
        grad: tensor([4, 1]),
        after: tensor([2.51, 0.8]),
        state: { momentum_buffer: tensor([4.9, 2]) },
      },
    ],
    { momentum_buffer: tensor([1, 1.111]) },
    ['b ← 0.9 × 1 + 4 = 4.9', 'w[0] ← 3 − 0.1 × 4.9 = 2.51'],
  ],
  [
    'Adam',
    [
      'Adam',
      { betas: '(0.9, 0.999)', eps: '1e-08' },
      0.1,
      {
        before: tensor([0.4]),
        grad: tensor([0.8]),
        after: tensor([0.3011874258518219]),
        state: { step: tensor([2], []), exp_avg: tensor([0.17]), exp_avg_sq: tensor([0.001639]) },
      },
    ],
    { step: tensor([1], []), exp_avg: tensor([0.1]), exp_avg_sq: tensor([0.001]) },
    [
      'm ← 0.9 × 0.1 + 0.1 × 0.8 = 0.17',
      'v ← 0.999 × 0.001 + 0.001 × 0.8² = 0.001639',
      'm̂ = 0.17 / (1 − 0.9²) = 0.8947',
      'v̂ = 0.001639 / (1 − 0.999²) = 0.8199',
      'w[0] ← 0.4 − 0.1 × 0.8947 / (√0.8199 + 1e−8) = 0.3012',
    ],
  ],
  [
    'an optimizer without a rule',
    [
      'Adagrad',
      {},
      0.1,
      { before: tensor([3], []), grad: tensor([4], []), after: tensor([2.9], []), change: tensor([-0.1], []) },
    ],
    null,
    ['w ← 3 − 0.1 = 2.9'],
  ],
  [
    'a tensor of which the log has a few elements',
    [
      'SGD',
      {},
      0.1,
      { before: tensor([3], [64, 9], 8), grad: tensor([4], [64, 9], 2), after: tensor([2.6], [64, 9], 7.9) },
    ],
    null,
    ['w [64, 9] ← ‖8‖ − 0.1 × ‖2‖ → ‖7.9‖'],
  ],
])('%s moves a parameter', (_, event, earlier, expected) => {
  const found = lines(stepped(...event), earlier);
  expect(found).toEqual(expected);
  expect(found.map((line) => checkedLeaf(line).wrong)).toEqual(found.map(() => null));
});
