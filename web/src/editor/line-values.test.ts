// Protects: the values beside the lines follow the cursor, also where a loop changes one tensor in place.

import { describe, expect, it } from 'vitest';
import { Mentions } from '../facts/mentions';
import type { Event } from '../protocol/events';
import { logged } from '../store/logged';
import { Namings } from './line-values';

const summary = (value: number) => ({
  shape: [],
  dtype: 'float32',
  strides: [],
  nbytes: 4,
  min: value,
  max: value,
  mean: value,
  norm: value,
  nan_count: 0,
  inf_count: 0,
  values: [value],
});
const made = (seq: number, tensor: number, line: number, value: number) => ({
  kind: 'tensor_created',
  seq,
  line,
  origin: 'zeros',
  info: { tensor, storage: tensor, version: 0, requires_grad: false, is_leaf: true, base: null, value: summary(value) },
});
const named = (seq: number, tensor: number, line: number, name: string) => ({
  kind: 'tensor_named',
  seq,
  line,
  tensor,
  name,
});
const changed = (seq: number, tensor: number, line: number, value: number) => ({
  kind: 'tensor_mutated',
  seq,
  line,
  tensor,
  storage: tensor,
  version: seq,
  op: 'add_',
  value: summary(value),
  through: null,
});

describe('values beside lines', () => {
  const events = [
    made(0, 1, 1, 0),
    named(1, 1, 1, 'total'),
    changed(2, 1, 3, 5),
    changed(3, 1, 3, 9),
  ] as unknown as Event[];
  const at = (seq: number) =>
    Object.fromEntries(
      new Namings(new Mentions(logged(events))).valuesAt(seq, seq - 1).map(({ line, text }) => [line, text]),
    );

  it('shows each round of a change in place', () => {
    expect(at(1)).toEqual({ 1: '0' });
    expect(at(2)).toEqual({ 1: '0', 3: '5' });
    expect(at(3)).toEqual({ 1: '0', 3: '9' });
  });

  it('leaves room for the code', () => {
    const many = Array.from({ length: 8 }, (_, i) => [
      made(2 * i, i + 1, 1, 1000.5 + i),
      named(2 * i + 1, i + 1, 1, `variable${i}`),
    ]).flat() as unknown as Event[];
    const [value] = new Namings(new Mentions(logged(many))).valuesAt(99, 0);
    expect([...value!.text].length).toBeLessThanOrEqual(44);
    expect(value!.text).toMatch(/^variable0 1001 {2}.*…$/);
  });
});
