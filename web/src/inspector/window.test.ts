import { expect, test } from 'vitest';
import { start, windowAt } from './window';

test('a matrix is read by rows and columns', () => {
  const place = { ...start([100, 40]), row: 96, column: 32 };
  expect(windowAt([100, 40], place)).toEqual({
    begin: [96, 32],
    end: [100, 40],
    rows: { first: 96, end: 100, size: 100 },
    columns: { first: 32, end: 40, size: 40 },
  });
});

test('a vector is one long row', () => {
  const { begin, end, rows, columns } = windowAt([300], start([300]));
  expect([begin, end, rows.size, columns]).toEqual([[0], [128], 1, { first: 0, end: 128, size: 300 }]);
});

test('of more dimensions one slice at a time, at indices that there are', () => {
  const shape = [4, 3, 20, 20];
  expect(windowAt(shape, start(shape)).begin).toEqual([0, 0, 0, 0]);
  expect(windowAt(shape, { leading: [9, -1], row: 0, column: 0 })).toMatchObject({
    begin: [3, 0, 0, 0],
    end: [4, 1, 20, 20],
  });
  expect(windowAt(shape, { leading: [Number.NaN, 1], row: 0, column: 0 }).begin).toEqual([0, 1, 0, 0]);
});
