// Protects: a list of any length can be scrolled to each of its rows.

import { expect, test } from 'vitest';
import { RowWindow } from './rows';

test('a short list is scrolled pixel by pixel', () => {
  const rows = new RowWindow(100, 28, 280);
  expect(rows.whole).toBe(2800);
  expect(rows.at(0)).toEqual({ first: 0, above: 0 });
  expect(rows.at(30)).toEqual({ first: 1, above: 2 });
  expect(rows.at(1e9)).toEqual({ first: 90, above: 0 });
});

test('a row in sight leaves the list where it is, another comes to the nearest rim', () => {
  const rows = new RowWindow(100, 28, 280);
  expect(rows.reveal(5, 28)).toBe(28);
  expect(rows.reveal(0, 28)).toBe(0);
  expect(rows.reveal(20, 0)).toBe(21 * 28 - 280);
});

test.each([0, 1, 499_999, 999_998, 999_999])('row %i of a million can be brought into sight', (row) => {
  const rows = new RowWindow(1_000_000, 28, 300);
  expect(rows.whole).toBeLessThan(16_000_000);
  const top = rows.reveal(row, 4_000_000);
  const { first, above } = rows.at(top);
  const place = (row - first) * 28 - above;
  expect(place).toBeGreaterThanOrEqual(-0.01);
  expect(place + 28).toBeLessThanOrEqual(300.01);
});
