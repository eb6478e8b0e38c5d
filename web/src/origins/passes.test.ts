// Protects: the summands of a `.grad` are the passes since it was last empty, zero or changed, as the log tells them.

import { describe, expect, it } from 'vitest';
import type { Event, Summary } from '../protocol/events';
import { mostExtreme, parsePlace } from './element-place';
import { elementOf, passesOf } from './passes';

function summary(...values: Summary['values']): Summary {
  const norm = Math.hypot(...values.map(Number));
  return {
    shape: [values.length],
    dtype: 'float32',
    strides: [1],
    nbytes: 4 * values.length,
    min: null,
    max: null,
    mean: null,
    norm,
    nan_count: 0,
    inf_count: 0,
    values,
  };
}

function added(seq: number, before: Summary | null, by: Summary, after: Summary): Event {
  return {
    kind: 'grad_accumulated',
    seq,
    line: 3,
    call: seq,
    node: 10 + seq,
    tensor: 1,
    grad: 2,
    before,
    added: by,
    after,
    in_place: before !== null,
  };
}

const FIRST = added(1, null, summary(1, 2), summary(1, 2));
const SECOND = added(2, summary(1, 2), summary(3, 4), summary(4, 6));

describe('the passes of an element', () => {
  it('are those since `.grad` was empty', () => {
    const { passes, before, after } = passesOf([FIRST, SECOND], 1, [1]);
    expect(passes.map((pass) => [pass.call, pass.node, pass.added])).toEqual([
      [1, 11, 2],
      [2, 12, 4],
    ]);
    expect([before, after]).toEqual([null, 6]);
  });

  it('begin anew where it was cleared, zeroed or changed in place', () => {
    const cleared: Event = { kind: 'grad_cleared', seq: 2, line: 4, tensor: 1, how: 'none', by: 'user', value: null };
    expect(passesOf([FIRST, cleared], 1, [0]).passes).toEqual([]);
    const zeroed = added(3, summary(0, 0), summary(5, 5), summary(5, 5));
    expect(passesOf([FIRST, zeroed], 1, [0]).passes.map((pass) => pass.call)).toEqual([3]);
    const clipped = added(3, summary(0.5, 1), summary(5, 5), summary(5.5, 6));
    const { passes, before } = passesOf([FIRST, clipped], 1, [0]);
    expect(passes.map((pass) => pass.call)).toEqual([3]);
    expect(before).toEqual({ value: 0.5, by: 'a change in place' });
  });

  it('keep what the program assigned apart', () => {
    const assigned: Event = {
      kind: 'grad_cleared',
      seq: 0,
      line: 2,
      tensor: 1,
      how: 'assigned',
      by: 'user',
      value: summary(9, 9),
    };
    expect(passesOf([assigned], 1, [0])).toMatchObject({ passes: [], before: { value: 9, by: 'the user' } });
    const onto = added(1, summary(9, 9), summary(1, 1), summary(10, 10));
    expect(passesOf([assigned, onto], 1, [0])).toMatchObject({ before: { value: 9 }, after: 10 });
  });
});

describe('an element', () => {
  it('is read where all are known', () => {
    expect(elementOf({ ...summary(1, 2, 3, 4), shape: [2, 2] }, [1, 0])).toBe(3);
    expect(elementOf({ ...summary(1, 2), shape: [600] }, [1])).toBeNull();
    expect(elementOf(summary(1, 2), [0, 0])).toBeNull();
  });

  it('that says most is the first that is not finite, else the largest', () => {
    expect(mostExtreme(summary(1, -7, 3))).toEqual([1]);
    expect(mostExtreme({ ...summary(1, 2, 'NaN', 'Infinity'), shape: [2, 2] })).toEqual([1, 0]);
    expect(mostExtreme({ ...summary(5), shape: [] })).toEqual([]);
  });

  it('is found by what a reader types', () => {
    expect(parsePlace('[0, 5]', [2, 6])).toEqual([0, 5]);
    expect(parsePlace('1,-1', [2, 6])).toEqual([1, 5]);
    expect(parsePlace('2, 0', [2, 6])).toContain('no such element');
    for (const text of ['', '1', 'a, b', '1, 2, 3']) expect(parsePlace(text, [2, 6])).toContain('2 numbers');
  });
});
