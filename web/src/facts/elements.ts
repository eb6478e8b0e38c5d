// The elements of a tensor: exact, and on the diverging scale.

import type { Summary } from '../protocol/events';

/** An element; a whole number beyond 2**53 that was read exactly is a bigint. */
export type ValueElement = Summary['values'][number] | bigint;

const MOST_COMPLETE = 256;

/** Number of elements of a shape. */
export function elementCount(shape: readonly number[]): number {
  return shape.reduce((count, size) => count * size, 1);
}

/** Whether the summary holds every element. */
export function isComplete(summary: Summary): boolean {
  return elementCount(summary.shape) <= MOST_COMPLETE && summary.values.length === elementCount(summary.shape);
}

function shortest(value: number, dtype: string): string {
  // A float32 has at most nine significant digits; the shortest text that reads back as the same float32 is exact.
  if (dtype.endsWith('float32')) {
    for (let digits = 1; digits <= 9; digits += 1) {
      const text = value.toPrecision(digits);
      if (Math.fround(Number(text)) === Math.fround(value)) return String(Number(text));
    }
  }
  return String(value);
}

/** A number as its dtype holds it: of float16 the log has the shortest text that is read as it. */
export function asHeld(element: ValueElement, dtype: string): ValueElement {
  if (!/(^|[^b])float16$/.test(dtype) || typeof element !== 'number' || element === 0) return element;
  const quantum = 2 ** (Math.max(Math.floor(Math.log2(Math.abs(element))), -14) - 10);
  return Math.round(element / quantum) * quantum;
}

/** An element in full, with a true minus sign; integers of a floating dtype keep no point. */
export function exact(element: ValueElement, dtype: string): string {
  if (Array.isArray(element)) {
    const [re, im] = element;
    const imaginary = exact(im ?? 0, dtype);
    const joined = imaginary.startsWith('−') ? ` − ${imaginary.slice(1)}` : ` + ${imaginary}`;
    return `${exact(re ?? 0, dtype)}${joined}i`;
  }
  if (typeof element === 'string') return { NaN: 'NaN', Infinity: '∞', '-Infinity': '−∞' }[element];
  if (typeof element === 'bigint') return String(element).replace('-', '−');
  if (dtype.endsWith('bool')) return element ? 'True' : 'False';
  return shortest(Number(asHeld(element, dtype)), dtype).replaceAll('-', '−');
}

/** Which element of a tensor is at a place of the shape that it is broadcast to; null where it is not broadcast to that. */
export function broadcastAt(place: readonly number[], shape: readonly number[]): number | null {
  const lead = place.length - shape.length;
  return lead < 0 ? null : ravel(place.slice(lead), shape);
}

/** The place in a shape of an element by its number in row-major order. */
export function unravel(index: number, shape: readonly number[]): number[] {
  const places: number[] = [];
  let rest = index;
  for (const size of shape.toReversed()) {
    places.unshift(rest % size);
    rest = Math.floor(rest / size);
  }
  return places;
}

/** The number in row-major order of the element at a place; a dim of one element has it at every index, as in a broadcast. */
export function ravel(place: readonly number[], shape: readonly number[]): number {
  return place.reduce((sum, index, dim) => sum * shape[dim]! + (shape[dim] === 1 ? 0 : index), 0);
}

/** Whether the elements lie in memory one after the other, in row-major order. */
export function isContiguous({ shape, strides }: Pick<Summary, 'shape' | 'strides'>): boolean {
  if (elementCount(shape) === 0) return true;
  let step = 1;
  for (let dim = shape.length - 1; dim >= 0; dim -= 1) {
    if (shape[dim] !== 1 && strides[dim] !== step) return false;
    step *= shape[dim]!;
  }
  return true;
}

/** Whether whole numbers are among these that JSON's numbers round. */
export function isRounded({ dtype, values }: Pick<Summary, 'dtype' | 'values'>): boolean {
  if (!/int64/.test(dtype)) return false;
  return values.some((value) => typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER);
}

/** Whether the elements have a magnitude and an angle instead of a sign. */
export function isComplex(dtype: string): boolean {
  return dtype.includes('complex');
}

/** An element as a number on the scale, a complex one by its magnitude; NaN and infinities stay what they are. */
export function sizeOf(element: ValueElement): number {
  return Array.isArray(element) ? Math.hypot(Number(element[0]), Number(element[1])) : Number(element);
}

/** The greatest finite magnitude among the elements: where the diverging scale ends. */
export function magnitude(values: readonly ValueElement[]): number {
  let most = 0;
  for (const value of values) {
    const size = Math.abs(sizeOf(value));
    if (Number.isFinite(size)) most = Math.max(most, size);
  }
  return most;
}

/** A cell's ground on the scale from blue (negative) over paper to orange, at most `percent` of it; null for what has no place on it. */
export function heat(element: ValueElement, most: number, percent: number): string | null {
  const size = sizeOf(element);
  if (!Number.isFinite(size) || most === 0 || size === 0) return null;
  const share = Math.round((Math.abs(size) / most) * percent);
  return `color-mix(in srgb, var(${size > 0 ? '--heat-high' : '--heat-low'}) ${share}%, var(--heat-mid))`;
}

/** The letter of an element that has no place on the scale, empty for one that has. */
export function mark(element: ValueElement): string {
  const size = sizeOf(element);
  if (Number.isFinite(size)) return '';
  return Number.isNaN(size) ? 'N' : size > 0 ? '∞' : '−∞';
}
