// Protects: filters keep the order of the run, and a filtered step is represented by the row before it.

import { expect, test } from 'vitest';
import { kinds } from '../messages/table';
import { STEPS } from '../protocol/steps';
import type { Moment } from '../timeline/moments';
import { ofKind, placeAmong } from './kinds';

const moments = (
  ['tensor_created', 'op_applied', 'backward_started', 'grad_accumulated', 'output_printed'] as const
).map(
  (kind, index): Moment => ({
    index,
    kind,
    first: index,
    last: index,
    line: null,
    node: null,
    call: null,
    title: '',
    phase:
      kind === 'backward_started' || kind === 'grad_accumulated'
        ? 'backward'
        : kind === 'output_printed'
          ? 'other'
          : 'forward',
  }),
);

test('each kind has its steps, and all of them have no list of their own', () => {
  expect(ofKind(moments, 'all')).toBeNull();
  expect([...ofKind(moments, 'forward')!]).toEqual([0, 1]);
  expect([...ofKind(moments, 'backward')!]).toEqual([2, 3]);
  expect([...ofKind(moments, 'grads')!]).toEqual([3]);
  expect([...ofKind(moments, 'said')!]).toEqual([4]);
  expect([...ofKind(moments, 'hooks')!]).toEqual([]);
});

test('each kind of step has a name, and is in another list than that of all', () => {
  const steps = [...STEPS.begins, ...STEPS.begins_between_nodes, ...STEPS.by_rule];
  expect(steps.filter((kind) => !kinds[kind])).toEqual([]);
  const lists = ['forward', 'backward', 'grads', 'training', 'hooks', 'said'] as const;
  const found = (kind: Moment['kind']) => {
    const phase = /^(backward_|node_)/.test(kind) ? 'backward' : 'forward';
    return lists.some((list) => ofKind([{ ...moments[0]!, kind, phase }], list)!.length > 0);
  };
  expect(steps.filter((kind) => !found(kind))).toEqual([]);
});

test('a step that is filtered out is held by the row before it', () => {
  const grads = ofKind(moments, 'grads');
  expect([0, 2, 3, 4].map((index) => placeAmong(grads, index))).toEqual([-1, -1, 0, 0]);
  expect(placeAmong(null, 4)).toBe(4);
});
