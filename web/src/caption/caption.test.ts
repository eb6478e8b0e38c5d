// Protects: the sentences name the actor, its numbers and the result in the reader's names.

import { describe, expect, it, test } from 'vitest';
import { goldens } from '../protocol/goldens';
import { EventLog } from '../store/log';
import { Timeline } from '../timeline/timeline';
import { type OpSentence, sentence } from './caption';

const recorded = new Map(goldens());
const OPS: OpSentence[] = [
  {
    name: 'mul',
    grad_fn: 'MulBackward0',
    conjugates: true,
    summary: {
      self: 'multiplies the incoming {g} by the saved {other}',
      other: 'multiplies the incoming {g} by the saved {self}',
    },
  },
  {
    name: 'pow_scalar',
    grad_fn: 'PowBackward0',
    conjugates: true,
    summary: { self: 'multiplies the incoming {g} by {exponent} × {self}^({exponent} − 1)' },
  },
];

function told(name: string, ops: readonly OpSentence[] = OPS, events = recorded.get(name)!): string[] {
  const log = new EventLog();
  const timeline = new Timeline(log);
  log.append(events);
  return timeline.moments.map((moment) => sentence(timeline.stateAt(moment.index), moment, log, ops));
}

test('while a question is open, a sentence does not say which error lies ahead', () => {
  const log = new EventLog();
  const timeline = new Timeline(log);
  log.append(recorded.get('15_in_place_error')!);
  const told = timeline.moments.map((moment) => sentence(timeline.stateAt(moment.index), moment, log, OPS, false));
  const changed = told.find((one) => one.includes('in place'));
  expect(changed).toMatch(/it is now at version 1\.$/);
});

describe('captions', () => {
  it.each([
    ['01_first_backward', '(w × x) + b gives y = 7. AddBackward0 joins the graph; it needs no saved tensors.'],
    ['01_first_backward', 'y.backward() starts at AddBackward0 with the gradient 1.'],
    [
      '01_first_backward',
      'MulBackward0 multiplies the incoming 1 by the saved x = 3 and sends 3 to w. Then it frees its saved tensor: 4 B.',
    ],
    ['01_first_backward', 'w.grad was None; it is now 3.'],
    ['01_first_backward', 'The backward pass is done: w.grad = 3, b.grad = 1.'],
    [
      '03_cube',
      'PowBackward0 multiplies the incoming 1 by 3 × A² (A = 5) and sends 75 to A. Then it frees its saved tensor: 4 B.',
    ],
    ['large', /^nll_loss\(.* joins the graph and saves .* and its total_weight for the backward pass: 6\.8 KB\.$/],
    ['11_accumulation', 'x.grad was 4; adding 4 gives 8: backward() accumulates.'],
    ['11_accumulation', 'x.grad is emptied: it is None again.'],
    ['14_broadcasting', /b was broadcast over 4 rows, so its gradient is the sum over them: \[4, 4\]\.$/],
    [
      '09_second_backward',
      /^The program catches an error at line 10: MulBackward0, made at line 5, let go of its saved tensors when .* needs them again\.$/,
    ],
    ['16_hooks', 'A hook (a lambda) on h saw the gradient [6, 12] and replaced it with [12, 24].'],
    ['18_hooks_on_nodes', 'A pre-hook (a lambda) of PowBackward0 saw the incoming gradient 1 and left it as it is.'],
    ['18_hooks_on_nodes', 'A hook (a lambda) is taken off x.'],
    ['15_in_place_error', /SigmoidBackward0 saved it at version 0: running backward there would be an error\.$/],
    [
      '19_in_place_on_a_view',
      /Now the grad_fn of y is CopySlices instead of MulBackward0 and the grad_fn of v is AsStridedBackward0 instead of/,
    ],
    ['20_no_grad', 'x × 3 gives a = 6. Under no_grad() it is not recorded: no gradient will flow back through it.'],
    [
      '21_saved_tensor_hooks',
      'x³ gives y = [1, 8, 27]. PowBackward0 joins the graph. The pack hook pack is given x and keeps a list instead.',
    ],
    ['22_module_hooks', /^The forward hook double of layer saw the output \[\[0\.1714\]\] and replaced it/],
    [
      '23_custom_function',
      /^CubeBackward runs its backward\(\) on 1: grad × 3 = 3, x² = 4 and .* = 12\. It sends 12 to x\./,
    ],
    ['25_checkpoint', 'SigmoidBackward0 needs _saved_result, which was not kept: checkpoint runs block again.'],
    ['25_checkpoint', 'block runs again for the checkpoint: x × x gives [1, 4, 9].'],
    ['25_checkpoint', /Under checkpoint it keeps nothing: x is given again\.$/],
    ['25_checkpoint', /Under checkpoint it keeps nothing: .* will be computed again\.$/],
    [
      'selective_checkpoint',
      'checkpoint runs block: its policy says which results are kept, the others are computed again.',
    ],
    ['selective_checkpoint', /Under checkpoint it keeps nothing: the policy keeps a\.$/],
    ['selective_checkpoint', /keeps nothing: w is given again and b will be computed again\.$/],
    ['selective_checkpoint', /: checkpoint runs block again, for what its policy did not keep\.$/],
    [
      'selective_checkpoint',
      'block runs again for the checkpoint: x @ w is not computed, as the policy kept a = [[1, 4]].',
    ],
    ['selective_checkpoint', /^block runs again for the checkpoint: a × a gives b = /],
    ['26_forward_mode', 'dual × 3 gives h = 6. Its tangent is 3: mul multiplies the tangent 1 by 3.'],
    ['12_second_derivative', /Its formula is recorded: PowBackward0, MulBackward1 and MulBackward0 join the graph\.$/],
    ['12_second_derivative', 'autograd.grad() keeps the gradient of x as its result: 48.'],
    ['non_finite', /The NaN begins here, at element \[0\]: what came in was finite\./],
  ])('of %s say: %s', (name, text) => {
    const sentences = told(name);
    if (typeof text === 'string') expect(sentences).toContain(text);
    else
      expect(
        sentences.some((one) => text.test(one)),
        sentences.join('\n'),
      ).toBe(true);
  });

  it('do without the catalogue', () => {
    expect(told('01_first_backward', [])).toContain(
      'MulBackward0 receives 1 and sends 3 to w. Then it frees its saved tensor: 4 B.',
    );
  });

  it('say of what dropout draws that dropout does, not that a function of the program makes it', () => {
    const drawn = recorded
      .get('01_first_backward')!
      .map((event) => (event.kind === 'tensor_created' ? { ...event, origin: 'dropout' } : event));
    expect(told('01_first_backward', OPS, drawn)[0]).toMatch(/^Dropout draws what it keeps: \w+ = \d+\.$/);
  });

  it('leave out what only the formula uses, as the total weight of a loss', () => {
    const losses = told('large').filter((text) => text.includes('NllLossBackward0 joins'));
    expect(losses.length).toBeGreaterThan(0);
    for (const text of losses) expect(text).toMatch(/ gives [\d.]+\. NllLoss/);
  });
});
