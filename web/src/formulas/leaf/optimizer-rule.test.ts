// Protects: an optimizer's rule is shown with the numbers of its step, as PyTorch makes them, and not at all where they do not come to it.

import { expect, test } from 'vitest';
import type { Summary } from '../../protocol/events';
import type { Stepped, Update } from '../../timeline/updates';
import { spoken } from '../spoken';
import { ruleLatex } from './optimizer-rule';

const tensor = (...values: number[]) =>
  ({ shape: [values.length], values, dtype: 'torch.float32' }) as unknown as Summary;
const step = (count: number) => ({ shape: [], values: [count], dtype: 'torch.float32' }) as unknown as Summary;

/** The second of two steps on `((w * tensor([1, -2])) ** 2).sum()` from `[0.5, -1]`: numbers of PyTorch 2.13. */
function second(optimizer: string, given: Partial<Stepped>, before: Summary, after: Summary): Update {
  const stepped = { optimizer, rate: 0.1, options: {}, grad: tensor(), state: {}, earlier: null, ...given };
  return { tensor: 1, before, after, change: 1, descent: null, stepped };
}

const OPTIONS = { betas: '(0.9, 0.999)', eps: '1e-08', weight_decay: '0' };
const adam = (given: Partial<Stepped> = {}) =>
  second(
    'Adam',
    {
      options: OPTIONS,
      grad: tensor(0.800000011920929, -7.200000286102295),
      state: {
        step: step(2),
        exp_avg: tensor(0.17000000178813934, -1.440000057220459),
        exp_avg_sq: tensor(0.001639000023715198, 0.11577600985765457),
      },
      earlier: { step: step(1), exp_avg: tensor(0.1, -0.8), exp_avg_sq: tensor(0.001, 0.064) },
      ...given,
    },
    tensor(0.4, -0.9),
    tensor(0.3011874258518219, -0.8004122376441956),
  );

const said = (update: Update, place: number[]) => {
  const latex = ruleLatex('w', update, place);
  return latex && { general: latex.general.map(spoken), figures: latex.figures.map(spoken) };
};

test('Adam: means, their corrections and the step, for the chosen element', () => {
  expect(said(adam(), [1])).toEqual({
    general: [
      'g = w.grad m ← 0.9 m + 0.1 g, exp_avg v ← 0.999 v + 0.001 g^2, exp_avg_sq m-hat = m / (1 - 0.9^t) v-hat = v / (1 - 0.999^t)',
      'w ← w - 0.1 × m-hat / (√(v-hat) + 1e-8)',
    ],
    figures: [
      'g = -7.2 m ← 0.9 × (-0.8) + 0.1 × (-7.2) = -1.44 v ← 0.999 × 0.064 + 0.001 × (-7.2)^2 = 0.1158 m-hat = -1.44 / (1 - 0.9^2) = -7.579 v-hat = 0.1158 / (1 - 0.999^2) = 57.92',
      '(w[1]) ← -0.9 - 0.1 × -7.579 / (√(57.92) + 1e-8) = -0.8004',
    ],
  });
  expect(said(adam(), [0])!.figures[1]).toBe('(w[0]) ← 0.4 - 0.1 × 0.8947 / (√(0.8199) + 1e-8) = 0.3012');
});

test('AdamW shrinks the parameter itself', () => {
  const update = second(
    'AdamW',
    {
      options: { ...OPTIONS, weight_decay: '0.01', decoupled_weight_decay: 'True' },
      grad: tensor(0.7990000247955322, -7.192000389099121),
      state: {
        step: step(2),
        exp_avg: tensor(0.16990000009536743, -1.4392000436782837),
        exp_avg_sq: tensor(0.001637401175685227, 0.11566087603569031),
      },
      earlier: { step: step(1), exp_avg: tensor(0.1, -0.8), exp_avg_sq: tensor(0.001, 0.064) },
    },
    tensor(0.3995000123977661, -0.8990000486373901),
    tensor(0.3002978563308716, -0.7985190749168396),
  );
  const { general, figures } = said(update, [1])!;
  expect(general[1]).toBe('w ← w × (1 - 0.1 × 0.01) - 0.1 × m-hat / (√(v-hat) + 1e-8)');
  expect(figures[1]).toBe('(w[1]) ← -0.899 × (1 - 0.1 × 0.01) - 0.1 × -7.575 / (√(57.86) + 1e-8) = -0.7985');
});

test('RMSprop, centered and with momentum', () => {
  const update = second(
    'RMSprop',
    {
      options: { alpha: '0.99', eps: '1e-08', weight_decay: '0', momentum: '0.9', centered: 'True' },
      grad: tensor(-1.010075569152832, 0.04030315950512886),
      state: {
        step: step(2),
        square_avg: tensor(0.020102526992559433, 0.6336162686347961),
        momentum_buffer: tensor(1.9212570190429688, -8.994458198547363),
        grad_avg: tensor(-0.00020075558859389275, -0.07879696786403656),
      },
      earlier: {
        step: step(1),
        square_avg: tensor(0.01, 0.64),
        momentum_buffer: tensor(10.05037784576416, -10.050378799438477),
        grad_avg: tensor(0.01, -0.08),
      },
    },
    tensor(-0.505037784576416, 0.0050378949381411076),
    tensor(-0.697163462638855, 0.9044837355613708),
  );
  const { general, figures } = said(update, [0])!;
  expect(general[0]).toBe(
    'g = w.grad v ← 0.99 v + 0.01 g^2, square_avg a ← 0.99 a + 0.01 g, grad_avg b ← 0.9 b + g / (√(v - a^2) + 1e-8), momentum_buffer',
  );
  expect(figures[1]).toBe('(w[0]) ← -0.505 - 0.1 × 1.921 = -0.6972');
});

test('nothing is said where the step before is not known, an element is not, or the numbers do not come to it', () => {
  expect(said(adam({ earlier: null }), [1])).toBeNull();
  expect(said(adam({ earlier: { ...adam().stepped!.earlier!, step: step(5) } }), [1])).toBeNull();
  expect(said(adam({ rate: 0.2 }), [1])).toBeNull();
  expect(said(adam({ options: {} }), [1])).toBeNull();
  expect(said(adam({ optimizer: 'constructor' }), [1])).toBeNull();
  expect(said(adam(), [7])).toBeNull();
});
