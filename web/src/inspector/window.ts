// The part of a large tensor that is read and shown at once: a window of its last two dimensions at chosen leading indices.

export const MOST_ROWS = 32;
export const MOST_COLUMNS = 32;
/** Of a tensor with one dimension. */
export const MOST_ALONE = 128;

/** Where a window stands: an index for each leading dimension, and its first row and column. */
export type Place = { leading: number[]; row: number; column: number };
/** How far a window goes in rows or columns: from `first` up to `end` of `size`. */
export type Extent = { first: number; end: number; size: number };
export type Window = { begin: number[]; end: number[]; rows: Extent; columns: Extent };

/** Where a reader begins. */
export function start(shape: readonly number[]): Place {
  return { leading: shape.slice(0, -2).map(() => 0), row: 0, column: 0 };
}

/** The window at a place, kept within the tensor. */
export function windowAt(shape: readonly number[], place: Place): Window {
  const alone = shape.length < 2;
  const columns = extent(place.column, shape.at(-1) ?? 1, alone ? MOST_ALONE : MOST_COLUMNS);
  const rows = alone ? { first: 0, end: 1, size: 1 } : extent(place.row, shape.at(-2)!, MOST_ROWS);
  const leading = place.leading.map((index, dim) => Math.max(0, Math.min(shape[dim]! - 1, Math.trunc(index) || 0)));
  const last = alone ? [columns] : [rows, columns];
  return {
    begin: [...leading, ...last.map(({ first }) => first)],
    end: [...leading.map((index) => index + 1), ...last.map(({ end }) => end)],
    rows,
    columns,
  };
}

function extent(first: number, size: number, most: number): Extent {
  const from = Math.max(0, Math.min(first, Math.max(0, size - 1)));
  return { first: from, end: Math.min(size, from + most), size };
}
