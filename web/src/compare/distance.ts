// The distance of two values.

import type { Scalar, Summary, TensorElement } from '../protocol/events';

/** `relative`: the norm of the difference over that of the first; `least` where not every element is known. */
export type Distance = { relative: number; least: boolean };

/** The distance of two values of one shape; elements that are NaN in both are equal. */
export function distance(from: Summary, to: Summary): Distance {
  const count = from.shape.reduce((product, size) => product * size, 1);
  const known = Math.min(from.values.length, to.values.length);
  let difference = 0;
  let length = 0;
  for (let at = 0; at < known; at += 1) {
    const parts = partsOf(from.values[at]!);
    const others = partsOf(to.values[at]!);
    for (let part = 0; part < parts.length; part += 1) {
      const a = Number(parts[part]);
      const b = Number(others[part] ?? 0);
      if (Number.isFinite(a)) length += a * a;
      if (Object.is(a, b) || a === b || (Number.isNaN(a) && Number.isNaN(b))) continue;
      difference += (a - b) ** 2;
    }
  }
  const norm = from.norm === null ? Number.NaN : Number(from.norm);
  const scale = Number.isFinite(norm) ? norm : Math.sqrt(length);
  let apart = Math.sqrt(difference);
  if (known < count && from.norm !== null && to.norm !== null && from.norm !== to.norm) {
    const between = Math.abs(Number(from.norm) - Number(to.norm));
    apart = Number.isNaN(between) ? Number.NaN : Math.max(apart, between);
  }
  if (from.nan_count !== to.nan_count || from.inf_count !== to.inf_count) apart = Number.POSITIVE_INFINITY;
  // Where one is NaN or infinite and the other is not, no number says how far.
  if (Number.isNaN(apart)) apart = Number.POSITIVE_INFINITY;
  const relative = apart === 0 ? 0 : scale === 0 ? Number.POSITIVE_INFINITY : apart / scale;
  return { relative, least: known < count };
}

function partsOf(element: TensorElement): readonly Scalar[] {
  return Array.isArray(element) ? element : [element];
}
