// Writes one side of a difference, and decides which differences count.

import { values } from '../format/number';
import * as say from '../messages/compare';
import type { Difference } from './differences';

/** Relative differences that may be ignored, the usual one second. */
export const TOLERANCES = [0, 1e-6, 1e-3, 0.05];
/** Of a value, in characters. */
const WIDEST = 28;

/** Whether a difference is larger than the tolerance; what is not a number always counts. */
export function isBeyond({ relative }: Difference, tolerance: number): boolean {
  return relative === null || relative > tolerance;
}

/** What one run has at a difference: 0 for the baseline, 1 for this run. */
export function sideOf(one: Difference, index: 0 | 1): string {
  if ((index === 0 ? one.base : one.here) === null) return say.absent;
  if (one.texts) return one.texts[index] || say.none;
  if (!one.values) return one.label;
  // Either both by their elements or both by their norms.
  const texts = one.values.map((value) => values(value, WIDEST));
  return texts.includes(null) ? say.normed(one.values[index]) : texts[index]!;
}

/** A sentence that says where two runs differ first. */
export function firstDifference(one: Difference): string {
  const line = one.here?.line ?? one.base?.line ?? null;
  if (one.here === null) return say.onlyBefore(line, one.label);
  if (one.base === null) return say.onlyNow(line, one.label);
  if (one.kind === 'error' && one.base.label !== one.here.label)
    return say.otherError(line, one.base.label, one.here.label);
  // These are named in their texts.
  const named = one.kind === 'op' || one.kind === 'error';
  return say.differsFirst(line, one.texts && named ? '' : one.label, sideOf(one, 0), sideOf(one, 1));
}
