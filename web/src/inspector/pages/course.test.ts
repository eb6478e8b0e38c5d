// Protects: the course of a tensor over the run is drawn from the log, with what is not finite and nothing twice.

import { expect, it } from 'vitest';
import type { TensorHistory } from '../../timeline/histories';
import { coursesOf, drawn, pointAt } from './course';

const summary = (values: (number | string)[], norm: number) => ({
  shape: [2],
  values,
  norm,
  nan_count: 0,
  inf_count: 0,
});
const series = <T>(...entries: [number, T][]) => ({
  seqs: entries.map(([seq]) => seq),
  entries: entries.map(([, entry]) => entry),
});
const history = {
  values: series([1, summary([1, 2], 2)], [9, summary([1, 3], 3)], [10, summary([1, 3], 3)], [19, summary([1, 5], 5)]),
  grads: series<object>(
    [5, { event: { kind: 'grad_accumulated' }, value: summary([0, 7], 7) }],
    [7, { event: { kind: 'grad_cleared' }, value: null }],
    [15, { event: { kind: 'grad_accumulated' }, value: { ...summary([0, 'NaN'], 0), nan_count: 1 } }],
  ),
} as unknown as TensorHistory;

it('follows an element, its gradient and the norm', () => {
  expect(coursesOf(history, 1)).toEqual([
    {
      of: 'value',
      points: [
        { seq: 1, value: 2 },
        { seq: 9, value: 3 },
        { seq: 19, value: 5 },
      ],
    },
    {
      of: 'grad',
      points: [
        { seq: 5, value: 7 },
        { seq: 15, value: 'NaN' },
      ],
    },
    {
      of: 'norm',
      points: [
        { seq: 5, value: 7 },
        { seq: 15, value: 'NaN' },
      ],
    },
  ]);
  // Element 0 never changed, and of element 9 nothing is known.
  expect(coursesOf(history, 0).map(({ of }) => of)).toEqual(['grad', 'norm']);
  expect(coursesOf(history, 9).map(({ of }) => of)).toEqual(['norm']);
});

it('draws steps from the first point to the end, and breaks at what is not finite', () => {
  const points = [
    { seq: 0, value: 0 },
    { seq: 5, value: 'NaN' as const },
    { seq: 10, value: 4 },
  ];
  expect(drawn(points, 20, 100, 36)).toEqual({ path: 'M0.0,33.0M50.0,3.0H100', bad: [25], least: 0, most: 4 });
  expect([-1, 0, 7, 99].map((seq) => pointAt(points, seq))).toEqual([-1, 0, 1, 2]);
});

it('keeps the extremes of what lies in one column', () => {
  const points = Array.from({ length: 5000 }, (_, seq) => ({ seq, value: seq === 2500 ? 9 : seq % 2 }));
  const { path, most } = drawn(points, 4999, 100, 36);
  expect(most).toBe(9);
  expect(path).toContain('V3.0');
  expect(path.length).toBeLessThan(6000);
});
