// Protects: sentences of the catalogue write dims as people do, and bracket only what needs it.

import { expect, it } from 'vitest';
import type { NodeInfo, OpApplied } from '../protocol/events';
import { effect } from './effect';
import type { Naming } from './naming';

const NAMES: Readonly<Record<number, string>> = { 1: 'x', 2: '[[0, 0], [0, 0]]', 3: 'a + b' };
const state = { tensor: () => ({ value: { shape: [6, 16] } }) };
const naming = { tensor: (id: number) => NAMES[id], valued: (id: number) => NAMES[id], state } as unknown as Naming;

function said(template: string, dim: string, other = 2, reduction?: string): string | null {
  const entry = { name: 'op', grad_fn: 'OpBackward0', conjugates: true, summary: { self: template } };
  const inputs = [
    { name: 'self', tensor: 1, text: null },
    { name: 'other', tensor: other, text: null },
  ];
  const event = { op: 'op', inputs, outputs: [] } as unknown as OpApplied;
  return effect(
    entry,
    event,
    { name: 'OpBackward0', attributes: { dim, reduction } } as unknown as NodeInfo,
    0,
    null,
    naming,
  );
}

it.each([
  ['(1,)', 'spreads it over dim 1 again'],
  ['(0, -1)', 'spreads it over dim 0, −1 again'],
  ['1', 'spreads it over dim 1 again'],
])('says dims: %s', (dim, sentence) => {
  expect(said('spreads it over dim {dim} again', dim)).toBe(sentence);
});

it('has the conjugate of what is saved and complex, where the result is complex too', () => {
  const said = (conjugates: boolean, ...dtypes: [string, string]) => {
    const entry = {
      name: 'mul',
      grad_fn: 'MulBackward0',
      conjugates,
      summary: { self: 'multiplies the incoming {g} by the saved {other}' },
    };
    const inputs = ['self', 'other'].map((name, i) => ({ name, tensor: i + 1, text: null }));
    const outputs = [{ tensor: 9, value: { dtype: dtypes[1] } }];
    const held = { tensor: () => ({ value: { shape: [], dtype: dtypes[0] } }) };
    const event = { op: 'mul', inputs, outputs } as unknown as OpApplied;
    const node = { name: 'MulBackward0', attributes: {} } as unknown as NodeInfo;
    return effect(entry, event, node, 0, null, { ...naming, state: held } as unknown as Naming);
  };
  const saved = 'the saved [[0, 0], [0, 0]]';
  expect(said(true, 'complex64', 'complex64')).toBe(`multiplies the incoming gradient by the conjugate of ${saved}`);
  expect(said(false, 'complex64', 'complex64')).toBe(`multiplies the incoming gradient by ${saved}`);
  expect(said(true, 'float32', 'complex64')).toBe(`multiplies the incoming gradient by ${saved}`);
  expect(said(true, 'complex64', 'float32')).toBe(`multiplies the incoming gradient by ${saved}`);
});

it('brackets a sum, and no list', () => {
  expect(said('2 × ({self} − {other}) / n', '0')).toBe('2 × (x − [[0, 0], [0, 0]]) / n');
  expect(said('multiplies by {other}', '0', 3)).toBe('multiplies by (a + b)');
});

it.each([
  ['1', 'multiplies by (a + b) / 96'],
  ['2', 'multiplies by (a + b)'],
  ['0', 'multiplies by (a + b)'],
])('divides a loss by how many elements it is the mean of, and no sum: %s', (reduction, sentence) => {
  expect(said('multiplies by {other} / n', '0', 3, reduction)).toBe(sentence);
});
