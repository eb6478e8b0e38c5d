// Filters the steps of the table: all, or those of one kind.

import type { filters } from '../messages/table';
import type { Moment } from '../timeline/moments';

export type Kind = keyof typeof filters;

const TESTS: Record<Exclude<Kind, 'all'>, (moment: Moment) => boolean> = {
  forward: ({ kind, phase }) => phase === 'forward' && /^(tensor_|op_applied$|tangent_|requires_grad_)/.test(kind),
  backward: ({ phase }) => phase === 'backward',
  grads: ({ kind }) => /^(grad_accumulated|grad_cleared|gradient_captured)$/.test(kind),
  training: ({ kind }) => kind === 'optimizer_stepped' || kind === 'grad_cleared',
  hooks: ({ kind }) => /hook|checkpoint|recomputation|saved_tensor/.test(kind),
  said: ({ kind }) => /^(output_printed|warning_raised|error_raised|value_changed|program_finished)$/.test(kind),
};

/** The indexes of those of the first `length` moments that are of a kind, in order; null for all of them. */
export function ofKind(moments: readonly Moment[], kind: Kind, length = moments.length): Int32Array | null {
  if (kind === 'all') return null;
  const test = TESTS[kind];
  const found = new Int32Array(length);
  let count = 0;
  for (let index = 0; index < length; index += 1) if (test(moments[index]!)) found[count++] = index;
  return found.subarray(0, count);
}

/** The place of a moment among those of a kind: its own, else that of the last before it; -1 before the first. */
export function placeAmong(indexes: Int32Array | null, moment: number): number {
  if (!indexes) return moment;
  let low = 0;
  let high = indexes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (indexes[middle]! <= moment) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
