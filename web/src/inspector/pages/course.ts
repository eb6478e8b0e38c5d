// The course of a tensor over the run: an element of it, the same of its gradient, and the norm of that gradient.

import type { Scalar, Summary } from '../../protocol/events';
import { isBad } from '../../protocol/finite';
import type { TensorHistory } from '../../timeline/histories';

export type Point = { seq: number; value: Scalar };
export type Course = { of: 'value' | 'grad' | 'norm'; points: Point[] };
export type Drawing = { path: string; bad: number[]; least: number; most: number };

/** The courses with more than one point; `flat` is the row-major number of the element. */
export function coursesOf(own: TensorHistory, flat: number): Course[] {
  const value: Point[] = [];
  own.values.entries.forEach((summary, i) => {
    const element = elementOf(summary, flat);
    // The op that changed a tensor in place gives its value once more.
    if (element !== null && element !== value.at(-1)?.value) value.push({ seq: own.values.seqs[i]!, value: element });
  });
  const grad: Point[] = [];
  const norm: Point[] = [];
  own.grads.entries.forEach(({ event, value: held }, i) => {
    if (event.kind !== 'grad_accumulated' || !held) return;
    const seq = own.grads.seqs[i]!;
    const element = elementOf(held, flat);
    if (element !== null) grad.push({ seq, value: element });
    const size = isBad(held) ? 'NaN' : held.norm;
    if (size !== null) norm.push({ seq, value: size });
  });
  const hasSeveral = own.values.entries[0]?.shape.some((size) => size !== 1) ?? false;
  const all: Course[] = [
    { of: 'value', points: value },
    { of: 'grad', points: grad },
    { of: 'norm', points: hasSeveral ? norm : [] },
  ];
  return all.filter(({ points }) => points.length > 1);
}

function elementOf({ values }: Summary, flat: number): Scalar | null {
  const element = values[flat];
  if (element === undefined || Array.isArray(element)) return null;
  return typeof element === 'boolean' ? Number(element) : (element as Scalar);
}

/** The last point by an event; -1 before the first. */
export function pointAt(points: readonly Point[], seq: number): number {
  return points.findLastIndex((point) => point.seq <= seq);
}

/** A line of steps in a box, all that lies in one column of it as one stroke; NaN and infinities as places of their own. */
export function drawn(points: readonly Point[], end: number, width: number, height: number): Drawing {
  const finite = points.flatMap(({ value }) => (typeof value === 'number' ? [value] : []));
  const least = finite.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const most = finite.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const y = (value: number) =>
    most > least ? height - 3 - ((value - least) / (most - least)) * (height - 6) : height / 2;
  const bad: number[] = [];
  let path = '';
  let column = -1;
  let broken = true;
  let low = 0;
  let high = 0;
  for (const { seq, value } of points) {
    const x = placeOf(seq, points, end, width);
    if (typeof value !== 'number') {
      bad.push(x);
      broken = true;
      continue;
    }
    const at = Math.round(x);
    if (at === column && !broken) {
      if (value < low || value > high) path += `V${y(value).toFixed(1)}`;
      low = Math.min(low, value);
      high = Math.max(high, value);
      continue;
    }
    path += broken ? `M${x.toFixed(1)},${y(value).toFixed(1)}` : `H${x.toFixed(1)}V${y(value).toFixed(1)}`;
    [column, broken, low, high] = [at, false, value, value];
  }
  if (!broken) path += `H${width}`;
  return { path, bad, least, most };
}

/** Where an event is in a drawing from the first point to the event `end`. */
export function placeOf(seq: number, points: readonly Point[], end: number, width: number): number {
  const first = points[0]?.seq ?? 0;
  return Math.min(1, Math.max(0, (seq - first) / Math.max(1, end - first))) * width;
}
