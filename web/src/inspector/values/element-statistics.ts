// Statistics and a histogram of the finite elements of a tensor.

import { sizeOf, type ValueElement } from '../../facts/elements';
import type { Scalar } from '../../protocol/events';

/** Statistics of the finite elements, `count` of them; of complex ones by magnitude. */
export type Spread = {
  count: number;
  nan_count: number;
  inf_count: number;
  zeros: number;
  min: Scalar | null;
  max: Scalar | null;
  mean: Scalar | null;
  std: Scalar | null;
  norm: Scalar | null;
  /** The counts of bins of equal width between the two ends; both empty where there are none. */
  ends: Scalar[];
  counts: number[];
};

const MOST_BINS = 32;

/** What is known of all elements of a tensor. */
export function spreadOf(elements: readonly ValueElement[]): Spread {
  const sizes = elements.map(sizeOf);
  const finite = sizes.filter(Number.isFinite);
  const nan_count = sizes.filter(Number.isNaN).length;
  const count = finite.length;
  const min = finite.reduce((least, one) => Math.min(least, one), Number.POSITIVE_INFINITY);
  const max = finite.reduce((most, one) => Math.max(most, one), Number.NEGATIVE_INFINITY);
  // Rounding must not take it out of the range: elements that are all the same have no spread.
  const rounded = finite.reduce((sum, one) => sum + one / count, 0);
  const mean = Math.min(max, Math.max(min, rounded));
  const squares = finite.reduce((sum, one) => sum + (one - mean) ** 2, 0);
  return {
    count,
    nan_count,
    inf_count: sizes.length - count - nan_count,
    zeros: finite.filter((one) => one === 0).length,
    min: count > 0 ? min : null,
    max: count > 0 ? max : null,
    mean: count > 0 ? mean : null,
    std: count > 1 ? scalar(Math.sqrt(squares / (count - 1))) : null,
    norm: Math.hypot(...finite),
    ...binned(finite, min, max),
  };
}

function scalar(value: number): Scalar {
  return Number.isFinite(value) ? value : 'Infinity';
}

function binned(finite: readonly number[], least: number, most: number): Pick<Spread, 'ends' | 'counts'> {
  const [from, to] = least === most ? [least - 0.5, most + 0.5] : [least, most];
  if (finite.length === 0 || !Number.isFinite(to - from) || to === from) return { ends: [], counts: [] };
  const bins = Math.max(5, Math.min(MOST_BINS, Math.ceil(Math.sqrt(finite.length)) * 2));
  const counts = new Array<number>(bins).fill(0);
  for (const one of finite) counts[Math.min(bins - 1, Math.floor(((one - from) / (to - from)) * bins))]! += 1;
  return { ends: [from, to], counts };
}
