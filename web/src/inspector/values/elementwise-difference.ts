// The difference of two values, element by element.

import { sizeOf, type ValueElement } from '../../facts/elements';

/** Each element less the one at the same place; what both hold alike, NaN and infinities too, differs by 0. */
export function differences(values: readonly ValueElement[], from: readonly ValueElement[]): ValueElement[] {
  return values.map((value, at) => difference(value, from[at]!));
}

function difference(value: ValueElement, from: ValueElement): ValueElement {
  if (Array.isArray(value) || Array.isArray(from)) {
    const [re, im] = parts(value);
    const [r, i] = parts(from);
    return [difference(re, r), difference(im, i)] as ValueElement;
  }
  if (value === from) return 0;
  if (typeof value === 'bigint' && typeof from === 'bigint') return Number(value - from);
  const amount = sizeOf(value) - sizeOf(from);
  if (Number.isFinite(amount)) return amount;
  return Number.isNaN(amount) ? 'NaN' : amount > 0 ? 'Infinity' : '-Infinity';
}

function parts(value: ValueElement): [ValueElement, ValueElement] {
  return Array.isArray(value) ? [value[0]!, value[1]!] : [value, 0];
}
