import { expect, test } from 'vitest';
import { Curve, worded } from './curve';

function curve(...points: [number, number | 'NaN' | null, string?][]): Curve {
  const made = new Curve();
  for (const [seq, figure, text] of points) made.add(seq, figure, text ?? null);
  return made;
}

test('a value holds from its event on', () => {
  const norm = curve([5, 2], [9, null], [12, null, 'a text'], [20, 'NaN']);
  expect([4, 5, 8, 9, 12, 25].map((seq) => worded(norm.at(seq)))).toEqual([
    'not defined here',
    '2',
    '2',
    'not defined here',
    'a text',
    'NaN',
  ]);
});

test('its scale is that of its finite numbers', () => {
  const norm = curve([5, -2], [6, 'NaN'], [7, 8]);
  expect([norm.least, norm.most, norm.drawn]).toEqual([-2, 8, true]);
  expect(curve([5, null, 'text']).drawn).toBe(false);
});

test('a column has all that happened in it, and what it began with', () => {
  const columns = curve([2, 1], [3, 5], [4, 2], [12, 'NaN']).columns([1, 5, 9, 14]);
  expect(columns).toEqual([
    null,
    { least: 1, most: 5, last: 2, other: null },
    { least: 2, most: 2, last: 2, other: null },
    { least: 2, most: 2, last: 2, other: 'bad' },
  ]);
});

test('where it is not defined there is nothing to draw', () => {
  expect(curve([2, 1], [3, null]).columns([2, 5, 9])).toEqual([
    { least: 1, most: 1, last: 1, other: null },
    { least: 1, most: 1, last: Number.NaN, other: null },
    null,
  ]);
});
