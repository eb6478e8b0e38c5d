// A gradient as it was before a broadcast was folded back, where the formula of its op gives it.

import { elementCount, ravel, unravel } from '../facts/elements';
import type { Summary } from '../protocol/events';

/** `latex` is the formula of the gradient; `other` gives the value of an argument that is in it. */
export function unfolded(
  latex: string,
  incoming: Summary | null,
  from: readonly number[],
  other: (name: string) => Summary | number | null,
): { shape: number[]; values: number[] } | null {
  if (incoming?.shape.join() !== from.join() || incoming.values.length !== elementCount(from)) return null;
  const factors = factorsOf(latex, from, other);
  if (!factors) return null;
  const values = incoming.values.map((g, i) => (typeof g === 'number' ? g * factors(i) : Number.NaN));
  return values.every(Number.isFinite) ? { shape: [...from], values } : null;
}

/** What each element of the incoming gradient is multiplied by; null for any other formula. */
function factorsOf(
  latex: string,
  shape: readonly number[],
  other: (name: string) => Summary | number | null,
): ((flat: number) => number) | null {
  if (latex === 'g') return () => 1;
  if (latex === '-g') return () => -1;
  const scaled = /^(-?)\\(alpha|beta)\\, g$/.exec(latex);
  if (scaled) {
    const factor = other(scaled[2]!) ?? 1;
    return typeof factor === 'number' ? () => (scaled[1] ? -factor : factor) : null;
  }
  const name = /^g \\cdot \\text\{([a-z_0-9]+)\}$/.exec(latex)?.[1];
  const factor = name === undefined ? null : other(name);
  if (factor === null) return null;
  if (typeof factor === 'number') return () => factor;
  if (factor.values.length !== elementCount(factor.shape) || factor.shape.length > shape.length) return null;
  return (flat) => {
    const place = unravel(flat, shape).slice(shape.length - factor.shape.length);
    return Number(factor.values[ravel(place, factor.shape)]);
  };
}
