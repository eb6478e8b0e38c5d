// Protects: of what is too large for a view one sees the middle, but all of what matters most, and never what lies between things alone.

import { expect, it } from 'vitest';
import { around, contains, gathered } from './rect';

const size = { width: 100, height: 100 };
const far = { x: 0, y: 0, width: 300, height: 80 };

it.each([
  [
    { x: 10, y: 10, width: 40, height: 20 },
    { x: 10, y: 0, width: 100, height: 80 },
  ],
  [
    { x: 130, y: 10, width: 40, height: 20 },
    { x: 100, y: 0, width: 100, height: 80 },
  ],
  [
    { x: 250, y: 10, width: 40, height: 20 },
    { x: 190, y: 0, width: 100, height: 80 },
  ],
  [
    { x: 100, y: 10, width: 150, height: 20 },
    { x: 100, y: 0, width: 100, height: 80 },
  ],
])('around %o', (core, shown) => {
  expect(around(core, far, size)).toEqual(shown);
  expect(contains(shown, { ...core, width: Math.min(core.width, size.width) })).toBe(true);
  expect(contains(core, shown)).toBe(false);
});

it('gathers beside the first of many things what is nearest to it, and no more than fit a view', () => {
  const at = (x: number, y: number) => ({ x, y, width: 40, height: 20 });
  expect(gathered([at(0, 300), at(0, 0), at(200, 300), at(50, 350), at(0, 900), at(0, 250)], size)).toEqual({
    x: 0,
    y: 250,
    width: 40,
    height: 70,
  });
  // What is larger than the view is shown all the same.
  expect(gathered([far], size)).toEqual(far);
  expect(gathered([], size)).toBeNull();
});
