// The part of a tensor that is shown at once: two of its dims as rows and columns, at an index of each other dim.

export const MOST_ROWS = 32;
export const MOST_COLUMNS = 32;
/** Of a tensor with one dim. */
export const MOST_ALONE = 256;

/** Which dims are rows and columns, null where there are too few; and for each dim an index, of these two the first one shown. */
export type Place = { rows: number | null; columns: number | null; at: number[] };
/** How far a window goes in rows or columns: from `first` up to `end` of `size`. */
export type Extent = { first: number; end: number; size: number };
export type Window = { begin: number[]; end: number[]; rows: Extent; columns: Extent };

/** Where a reader begins: at the last two dims. */
export function start(shape: readonly number[]): Place {
  const dims = shape.length;
  return { rows: dims > 1 ? dims - 2 : null, columns: dims > 0 ? dims - 1 : null, at: shape.map(() => 0) };
}

/** The place with another dim as rows or columns; the two change places where it was the other one. */
export function turned(place: Place, axis: 'rows' | 'columns', dim: number): Place {
  const other = axis === 'rows' ? 'columns' : 'rows';
  const at = place.at.map((index, of) => (of === dim || of === place[axis] ? 0 : index));
  return { ...place, at, [axis]: dim, [other]: place[other] === dim ? place[axis] : place[other] };
}

/** The place with another index of a dim, kept within the tensor. */
export function moved(shape: readonly number[], place: Place, dim: number, index: number): Place {
  const kept = Math.max(0, Math.min(shape[dim]! - 1, Math.trunc(index) || 0));
  return { ...place, at: place.at.map((old, of) => (of === dim ? kept : old)) };
}

/** The dims for which there is one index at a time. */
export function fixed(shape: readonly number[], place: Place): number[] {
  return shape.map((_, dim) => dim).filter((dim) => dim !== place.rows && dim !== place.columns);
}

/** How many rows or columns are shown at once, at most. */
export function mostOf(place: Place, axis: 'rows' | 'columns'): number {
  if (axis === 'rows') return MOST_ROWS;
  return place.rows === null ? MOST_ALONE : MOST_COLUMNS;
}

/** The window at a place. */
export function windowAt(shape: readonly number[], place: Place): Window {
  const along = (axis: 'rows' | 'columns'): Extent => {
    const dim = place[axis];
    if (dim === null) return { first: 0, end: 1, size: 1 };
    const size = shape[dim]!;
    const first = Math.max(0, Math.min(place.at[dim]!, size - 1));
    return { first, end: Math.min(size, first + mostOf(place, axis)), size };
  };
  const rows = along('rows');
  const columns = along('columns');
  const begin = place.at.map((index, dim) =>
    dim === place.rows ? rows.first : dim === place.columns ? columns.first : index,
  );
  const end = begin.map((index, dim) =>
    dim === place.rows ? rows.end : dim === place.columns ? columns.end : index + 1,
  );
  return { begin, end, rows, columns };
}

/** The elements of a window, which come in row-major order, as rows. */
export function tableOf<T>(values: readonly T[], place: Place, { rows, columns }: Window): T[][] {
  const height = rows.end - rows.first;
  const width = columns.end - columns.first;
  const isTurned = place.rows !== null && place.columns !== null && place.rows > place.columns;
  return Array.from({ length: height }, (_, row) =>
    Array.from({ length: width }, (_, column) => values[isTurned ? column * height + row : row * width + column]!),
  );
}

/** Of all elements of a tensor, in row-major order, those of a window. */
export function within<T>(values: readonly T[], shape: readonly number[], { begin, end }: Window): T[] {
  let places = [0];
  shape.forEach((size, dim) => {
    const span = Array.from({ length: end[dim]! - begin[dim]! }, (_, step) => begin[dim]! + step);
    places = places.flatMap((place) => span.map((index) => place * size + index));
  });
  return places.map((place) => values[place]!);
}

/** The index of the element at a row and a column of a window. */
export function indexAt(place: Place, { begin }: Window, row: number, column: number): number[] {
  return begin.map((first, dim) => (dim === place.rows ? first + row : dim === place.columns ? first + column : first));
}
