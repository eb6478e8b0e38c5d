// Protects: the chunks of a long forward pass are in stacks side by side, and nothing lies over a mirror or another chunk.

import { expect, it } from 'vitest';
import { type Chunk, Placed } from './placed';
import { overlaps } from './rect';

function place(placed: Placed, width: number, height: number, up = false): void {
  const area = {
    rect: { x: 0, y: 0, width, height },
    frame: null,
    seq: 0,
    items: [],
    links: [],
    areas: [],
    ops: 0,
    wanted: [],
  };
  const laid = { column: 0, up, order: 0, items: [], links: [], frames: [], area };
  for (const _ of placed.settle(laid, { width, height }));
}

const rects = ({ chunks }: Placed) => chunks.map(({ rect }: Chunk) => rect);

it('puts chunks below each other while they are not too high, then beside them', () => {
  const placed = new Placed();
  placed.begin(0);
  for (let i = 0; i < 9; i += 1) place(placed, 2500, 3100);
  const xs = rects(placed).map(({ x }) => x);
  expect(new Set(xs).size).toBe(3);
  expect(xs).toEqual(xs.toSorted((a, b) => a - b));
  expect(placed.bounds.height).toBeLessThan(12_000);
});

it('leaves a few chunks in one stack', () => {
  const placed = new Placed();
  placed.begin(0);
  for (let i = 0; i < 3; i += 1) place(placed, 400, 900);
  expect(rects(placed).map(({ x }) => x)).toEqual([0, 0, 0]);
});

it('lays nothing over a mirror or another chunk, however wide it is', () => {
  const placed = new Placed();
  placed.begin(0);
  for (let i = 0; i < 30; i += 1) place(placed, 300 + 700 * (i % 4), 1500 + 900 * (i % 3), i % 5 === 2);
  const all = rects(placed);
  for (const [i, a] of all.entries()) for (const b of all.slice(i + 1)) expect(overlaps(a, b)).toBe(false);
});
