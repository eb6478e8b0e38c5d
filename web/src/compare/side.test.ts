// Protects: the sentence for the first difference names the line, the thing and both values.

import { expect, it } from 'vitest';
import type { Summary } from '../protocol/events';
import type { Difference } from './differences';
import { firstDifference, isBeyond } from './side';

const value = (number: number) =>
  ({
    shape: [],
    strides: [],
    dtype: 'float32',
    values: [number],
    norm: number,
    nan_count: 0,
    inf_count: 0,
  }) as unknown as Summary;
const step = (line: number | null) => ({ line }) as never;
const one: Difference = {
  kind: 'value',
  label: 'loss',
  base: step(27),
  here: step(27),
  texts: null,
  values: [value(5.657), value(2.828)],
  target: null,
  relative: 0.5,
  least: false,
};

it('says where, what and both values', () => {
  expect(firstDifference(one)).toBe('Differs first at line 27: loss, 5.657 → 2.828.');
  expect(firstDifference({ ...one, base: null })).toBe('Differs first at line 27: loss is new.');
  expect(firstDifference({ ...one, here: null })).toBe('Differs first at line 27: loss is gone.');
  expect(firstDifference({ ...one, kind: 'op', label: 'add', values: null, texts: ['mul', 'add'] })).toBe(
    'Differs first at line 27: mul → add.',
  );
});

it('says which error is of which run', () => {
  const raised = (type: string) => ({ line: 2, label: type }) as never;
  const error: Difference = {
    ...one,
    kind: 'error',
    label: 'AssertionError',
    base: raised('PermissionError'),
    here: raised('AssertionError'),
    texts: ['PermissionError: [Errno 13] Permission denied', 'AssertionError: no, not this'],
    values: null,
  };
  expect(firstDifference(error)).toBe('Differs first at line 2: AssertionError now, PermissionError before.');
  const other = { ...error, base: error.here, texts: ['AssertionError: 3', 'AssertionError: 4'] } as Difference;
  expect(firstDifference(other)).toBe('Differs first at line 2: AssertionError: 3 → AssertionError: 4.');
});

it('ignores what is within the tolerance', () => {
  expect(isBeyond({ ...one, relative: 1e-9 }, 1e-6)).toBe(false);
  expect(isBeyond({ ...one, relative: null }, 1e-6)).toBe(true);
});
