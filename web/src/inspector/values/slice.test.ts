// Protects: any two dims of a tensor are shown as rows and columns, and each cell is the element that it says it is.

import { expect, test } from 'vitest';
import { fixed, indexAt, moved, start, tableOf, turned, windowAt, within } from './slice';

const SHAPE = [2, 3, 4, 1, 5];
const VALUES = Array.from({ length: 120 }, (_, index) => index);

test('a matrix is read by rows and columns', () => {
  const place = { ...start([100, 40]), at: [96, 32] };
  expect(windowAt([100, 40], place)).toEqual({
    begin: [96, 32],
    end: [100, 40],
    rows: { first: 96, end: 100, size: 100 },
    columns: { first: 32, end: 40, size: 40 },
  });
});

test('a vector is one long row, and a scalar one cell', () => {
  const { begin, end, rows, columns } = windowAt([300], start([300]));
  expect([begin, end, rows.size, columns]).toEqual([[0], [256], 1, { first: 0, end: 256, size: 300 }]);
  expect(tableOf(within([7], [], windowAt([], start([]))), start([]), windowAt([], start([])))).toEqual([[7]]);
});

test.each([
  [3, 4],
  [0, 2],
  [2, 0],
  [4, 1],
])('of rank 5, dims %i and %i as rows and columns', (rows, columns) => {
  let place = turned(turned(start(SHAPE), 'rows', rows), 'columns', columns);
  if (place.rows !== rows) place = turned(place, 'rows', rows);
  for (const dim of fixed(SHAPE, place)) place = moved(SHAPE, place, dim, 1);
  const window = windowAt(SHAPE, place);
  const table = tableOf(within(VALUES, SHAPE, window), place, window);
  expect([table.length, table[0]!.length]).toEqual([SHAPE[rows], SHAPE[columns]]);
  table.forEach((cells, row) => {
    cells.forEach((cell, column) => {
      const index = indexAt(place, window, row, column);
      expect(index.reduce((sum, at, dim) => sum * SHAPE[dim]! + at, 0)).toBe(cell);
    });
  });
});

test('choosing the dim that the other axis has makes them change places', () => {
  expect(turned(start(SHAPE), 'rows', 4)).toMatchObject({ rows: 4, columns: 3 });
  expect(fixed(SHAPE, turned(start(SHAPE), 'columns', 0))).toEqual([1, 2, 4]);
});

test('an index stays within its dim', () => {
  const at = [9, -1, Number.NaN].map((index) => moved(SHAPE, start(SHAPE), 1, index).at[1]);
  expect(at).toEqual([2, 0, 0]);
});
