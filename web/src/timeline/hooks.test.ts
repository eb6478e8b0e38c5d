// Protects: which hook a run belongs to, from being hung to being taken off, and what hangs on a leaf.

import { describe, expect, it } from 'vitest';
import type { Event } from '../protocol/events';
import { Hooks } from './hooks';

const value = (number: number) => ({ shape: [], values: [number], dtype: 'float32' });
const hung = (seq: number, hook: string, tensor: number | null, node: number | null, where = 'tensor') => ({
  kind: 'hook_registered',
  seq,
  where,
  hook,
  tensor,
  node,
});
const ran = (seq: number, hook: string, node: number, where = 'tensor') => ({
  kind: 'hook_ran',
  seq,
  where,
  hook,
  module: null,
  tensor: null,
  node,
  before: value(seq),
  after: null,
});

function follow(...events: object[]): Hooks {
  const hooks = new Hooks();
  for (const event of events) hooks.add(event as unknown as Event);
  return hooks;
}

describe('hooks', () => {
  it('of one name run in the order in which they were hung', () => {
    const hooks = follow(hung(1, 'f', 4, 9), hung(2, 'f', 4, 9), ran(3, 'f', 9), ran(4, 'f', 9), ran(5, 'f', 9));
    expect(hooks.ofNode(9).map((hook) => hook.runs.seqs)).toEqual([[3, 5], [4]]);
  });

  it('that were taken off do not run', () => {
    const removed = { ...hung(3, 'f', 4, 9), kind: 'hook_removed' };
    const [first, second] = follow(hung(1, 'f', 4, 9), hung(2, 'f', 4, 9), removed, ran(4, 'f', 9)).ofNode(9);
    expect([first!.removed, first!.runs.seqs, second!.runs.seqs]).toEqual([3, [], [4]]);
  });

  it('of a leaf hang on the leaf, whatever AccumulateGrad it has', () => {
    const accumulator = { kind: 'node_created', seq: 2, node: 7, name: 'AccumulateGrad', tensor: 4 };
    const hooks = follow(hung(1, 'f', 4, null), accumulator, ran(3, 'f', 7), hung(4, 'g', null, 7, 'node pre'));
    expect(hooks.ofTensor(4).map((hook) => [hook.hook, hook.runs.seqs])).toEqual([
      ['f', [3]],
      ['g', []],
    ]);
    expect(hooks.ofNode(7)).toEqual([]);
  });

  it('that nobody told of being hung hang from their first run on', () => {
    const [hook] = follow(ran(3, 'f', 9, 'module backward')).ofNode(9);
    expect([hook!.hung, hook!.runs.at(3)?.before?.values]).toEqual([3, [3]]);
  });
});
