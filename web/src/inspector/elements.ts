// A tensor's summary as a reader's table: exact elements, two-dimensional slices, the diverging scale.

import type { Summary } from '../protocol/events';

export type ValueElement = Summary['values'][number];
export type Slice = { label: string | null; rows: ValueElement[][] };

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

/** An element in full, with a true minus sign; integers of a floating dtype keep no point. */
export function exact(element: ValueElement, dtype: string): string {
  if (Array.isArray(element)) {
    const [re, im] = element;
    const imaginary = exact(im ?? 0, dtype);
    const joined = imaginary.startsWith('−') ? ` − ${imaginary.slice(1)}` : ` + ${imaginary}`;
    return `${exact(re ?? 0, dtype)}${joined}i`;
  }
  if (typeof element === 'string') return { NaN: 'NaN', Infinity: '∞', '-Infinity': '−∞' }[element];
  if (dtype.endsWith('bool')) return element ? 'True' : 'False';
  return shortest(element, dtype).replaceAll('-', '−');
}

/** The value cut into tables: one for up to two dimensions, one for each leading index beyond. */
export function slices(summary: Summary): Slice[] {
  const { shape, values } = summary;
  if (shape.length <= 1) return [{ label: null, rows: [values] }];
  const columns = shape.at(-1)!;
  const rows = shape.at(-2)!;
  const leading = shape.slice(0, -2);
  const made: Slice[] = [];
  for (let start = 0, index = 0; start < values.length; start += rows * columns, index += 1) {
    const cut: ValueElement[][] = [];
    for (let row = 0; row < rows; row += 1) {
      cut.push(values.slice(start + row * columns, start + (row + 1) * columns));
    }
    made.push({
      label: leading.length > 0 ? `[${[...unravel(index, leading), ':', ':'].join(', ')}]` : null,
      rows: cut,
    });
  }
  return made;
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

/** The greatest finite magnitude among the elements: where the diverging scale ends. */
export function magnitude(values: readonly ValueElement[]): number {
  let most = 0;
  for (const value of values) if (typeof value === 'number') most = Math.max(most, Math.abs(value));
  return most;
}

/** A cell's ground on the scale from blue (negative) over paper to orange; null for what has no place on it. */
export function heat(element: ValueElement, most: number): string | null {
  if (typeof element !== 'number' || most === 0 || element === 0) return null;
  const share = Math.round((Math.abs(element) / most) * 50);
  return `color-mix(in srgb, var(${element > 0 ? '--heat-high' : '--heat-low'}) ${share}%, var(--heat-mid))`;
}
