// Protects: what a program does to a gradient in place is seen in `.grad`: its value, its layers and its history.

import { expect, it } from 'vitest';
import { Mentions } from '../facts/mentions';
import { tensorFacts } from '../facts/tensor-facts';
import type { Event, Summary } from '../protocol/events';
import { EventLog } from '../store/log';
import { isUnknown } from './gradients';
import { Timeline } from './timeline';

const LEAF = 1;
const GRAD = 2;

function summary(values: number[], shape = [values.length], strides = [1]): Summary {
  const norm = Math.hypot(...values);
  return { shape, strides, dtype: 'float32', values, norm, nan_count: 0, inf_count: 0 } as unknown as Summary;
}

const made = (tensor: number, storage: number, value: Summary, base: number | null = null) => ({
  kind: 'tensor_created',
  origin: 'tensor',
  info: { tensor, storage, version: 0, requires_grad: tensor === LEAF, is_leaf: true, base, value },
});
const arrived = (added: Summary, before: Summary | null, after: Summary) => ({
  kind: 'grad_accumulated',
  tensor: LEAF,
  grad: GRAD,
  node: 9,
  call: 1,
  before,
  added,
  after,
  in_place: before !== null,
});
const changed = (op: string, value: Summary, tensor = GRAD) => ({
  kind: 'tensor_mutated',
  tensor,
  storage: 20,
  version: 1,
  op,
  value,
  through: null,
});
const cleared = (how: string, value: Summary | null) => ({
  kind: 'grad_cleared',
  tensor: LEAF,
  how,
  by: 'user',
  value,
});

const first = summary([2, 4]);
const begun = [made(LEAF, 10, summary([1, 2])), made(GRAD, 20, first), arrived(first, null, first)];

function after(...events: object[]) {
  const log = new EventLog();
  const timeline = new Timeline(log);
  const all = events.map((event, seq) => ({ ...event, seq, line: 1 })) as unknown as Event[];
  log.append(all);
  const { history } = timeline.stateAt(timeline.moments.length - 1);
  const seq = all.length - 1;
  const grads = history.gradients.of(LEAF);
  const facts = tensorFacts(new Mentions(log), LEAF, seq, grads)!;
  const last = grads.at(seq)!;
  return { timeline, facts, last, history, values: facts.grad?.values };
}

/** What the stage shows at the end: the total, how many layers there are, and each. */
function shown(...events: object[]) {
  const { timeline } = after(...events, { kind: 'output_printed', stream: 'stdout', text: '.' });
  const { grad } = timeline.stateAt(timeline.moments.length - 1).tensor(LEAF)!;
  return grad && { total: grad.total.values, count: grad.count, layers: grad.layers.map((layer) => layer.values) };
}

it('has no layers after zeroing, and one with the new value after any other change', () => {
  const zeroed = [...begun, changed('zero_', summary([0, 0]))];
  expect(shown(...zeroed)).toEqual({ total: [0, 0], count: 0, layers: [] });
  expect(shown(...zeroed, changed('add_', summary([5, 5])))).toEqual({ total: [5, 5], count: 1, layers: [[5, 5]] });
});

it('piles layers up anew on a gradient that was zeroed or scaled', () => {
  const zeroed = [...begun, arrived(first, first, summary([4, 8])), changed('zero_', summary([0, 0]))];
  const again = arrived(first, summary([0, 0]), first);
  expect(shown(...zeroed, again)).toEqual({ total: [2, 4], count: 1, layers: [[2, 4]] });
  const scaled = [...begun, changed('mul_', summary([1, 2]))];
  expect(shown(...scaled, arrived(first, summary([1, 2]), summary([3, 6])))).toEqual({
    total: [3, 6],
    count: 2,
    layers: [
      [1, 2],
      [2, 4],
    ],
  });
});

it('tells the changes in the history of .grad, in their order', () => {
  const { facts } = after(...begun, changed('zero_', summary([0, 0])), cleared('none', null));
  expect(facts.gradChanges.map((change) => change.how)).toEqual(['added', 'changed', 'cleared']);
  expect(facts.grad).toBeNull();
});

it('sees a change through another tensor of the same storage', () => {
  const data = made(3, 20, first);
  expect(after(...begun, data, changed('mul_', summary([4, 8]), 3)).values).toEqual([4, 8]);
});

it('puts the elements of a transposed view in the places where the gradient has them', () => {
  const whole = summary([1, 2, 3, 4, 5, 6], [2, 3], [3, 1]);
  const turned = summary([10, 40, 20, 50, 30, 60], [3, 2], [1, 3]);
  const events = [made(LEAF, 10, whole), made(GRAD, 20, whole), arrived(whole, null, whole), made(3, 20, turned, GRAD)];
  const { facts } = after(...events, changed('mul_', turned, 3));
  expect(facts.grad).toMatchObject({ shape: [2, 3], values: [10, 20, 30, 40, 50, 60] });
});

it('shows no old elements when a part was changed, until an event tells the new ones', () => {
  const part = [...begun, made(3, 20, summary([2], [], []), GRAD), changed('copy_', summary([7], [], []), 3)];
  expect(isUnknown(after(...part).last.value!)).toBe(true);
  const used = { tensor: LEAF, before: first, after: first, grad: summary([7, 4]), change: null, state: {} };
  const stepped = {
    kind: 'optimizer_stepped',
    optimizer: 'SGD',
    number: 1,
    groups: [],
    updates: [used],
    unchanged: [],
  };
  expect(shown(...part, stepped)).toEqual({ total: [7, 4], count: 1, layers: [[7, 4]] });
});

it('lets go of a gradient that is .grad no longer', () => {
  const other = changed('mul_', summary([20, 40]));
  expect(after(...begun, cleared('none', null), other).facts.grad).toBeNull();
  expect(after(...begun, cleared('assigned', summary([1, 1])), other).values).toEqual([1, 1]);
});

it('names the leaf whose card changes', () => {
  const { history } = after(...begun, changed('zero_', summary([0, 0])));
  expect(history.gradients.changedBy(3)).toEqual([LEAF]);
});
