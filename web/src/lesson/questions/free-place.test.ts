// Protects: what lies over the stage stays in view, and covers nothing of the graph where there is room beside it.

import { expect, it } from 'vitest';
import { overlaps } from '../../layout/rect';
import { freePlace, within } from './free-place';

const room = { x: 0, y: 0, width: 400, height: 300 };
const size = { width: 80, height: 24 };
const right = { x: 260, y: 130, width: 50, height: 40 };
const at = { x: 150, y: 140, width: 100, height: 20 };

it('is at the right where that is free', () => {
  expect(freePlace(at, size, [at], room)).toEqual({ x: 256, y: 138, ...size });
});

it.each([
  { taken: 'right', obstacles: [right] },
  { taken: 'right and left', obstacles: [right, { x: 90, y: 130, width: 50, height: 40 }] },
  { taken: 'all but above', obstacles: [right, { x: 90, y: 141, width: 160, height: 60 }] },
])('goes to another side where the $taken is taken', ({ obstacles }) => {
  const rect = freePlace(at, size, obstacles, room);
  expect(obstacles.some((one) => overlaps(one, rect))).toBe(false);
});

it('goes to the left of what is at the rim', () => {
  const rect = freePlace({ ...at, x: 290 }, size, [], room);
  expect(rect.x + rect.width).toBeLessThan(290);
});

it('is brought sideways into the room with what it belongs to, and goes out of it with that', () => {
  expect(within({ x: -30, y: 0, ...size }, { ...at, x: 2 }, room).x).toBeGreaterThan(0);
  expect(within({ x: 380, y: 0, ...size }, { ...at, x: 300 }, room).x + size.width).toBeLessThan(400);
  expect(within({ x: -200, y: 0, ...size }, { ...at, x: -180 }, room).x).toBe(-200);
});
