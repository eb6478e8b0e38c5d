// Finds the place of an element of a tensor in a view of it, by their strides, as both have the same memory.

import type { OpApplied, Summary } from '../protocol/events';
import { textOf } from './forward-op';

/** How the elements of a tensor lie in its memory. */
export type Laid = Pick<Summary, 'shape' | 'strides'>;

/** Views that begin with the first element of their tensor. */
const WHOLE = new Set(['alias', 'detach', 'expand', 'permute', 'squeeze', 't', 'transpose', 'unsqueeze', 'view']);

/** The place in a view of an element of a tensor: the first one where the view repeats it; null where it is not there, or not known. */
export function viewedAt(event: OpApplied, element: readonly number[], base: Laid): number[] | null {
  const view = event.outputs[0]?.value;
  const begin = beginOf(event, base);
  if (!view || begin === null || view.shape.includes(0)) return null;
  const place = view.shape.map(() => 0);
  let rest = element.reduce((sum, index, dim) => sum + index * base.strides[dim]!, -begin);
  const dims = view.strides.map((stride, dim) => ({ stride, dim })).filter(({ stride }) => stride > 0);
  for (const { stride, dim } of dims.toSorted((a, b) => b.stride - a.stride)) {
    place[dim] = Math.max(0, Math.min(Math.floor(rest / stride), view.shape[dim]! - 1));
    rest -= place[dim] * stride;
  }
  return rest === 0 ? place : null;
}

/** How far behind the first element of a tensor that of a view lies in memory; null where that is not known. */
function beginOf(event: OpApplied, { shape, strides }: Laid): number | null {
  const whole = (name: string): number => Number(textOf(event, name) ?? Number.NaN);
  if (WHOLE.has(event.op)) return 0;
  const first = event.op === 'select' ? whole('index') : event.op === 'slice' ? whole('start') : Number.NaN;
  const dim = whole('dim') < 0 ? whole('dim') + shape.length : whole('dim');
  const size = shape[dim];
  if (size === undefined || Number.isNaN(first)) return null;
  return Math.max(0, first < 0 ? first + size : first) * strides[dim]!;
}
