// Protects: the chunks of a long forward pass are in stacks side by side, wide passes below each other, and nothing lies over a mirror or another chunk.

import { describe, expect, it } from 'vitest';
import { type Chunk, Placed } from './placed';
import { overlaps } from './rect';

function place(placed: Placed, width: number, height: number, up = false, column = 0): void {
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
  const laid = { column, up, order: 0, items: [], links: [], frames: [], area };
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

it('puts what a pass recorded below it on an upright stage, and the next pass beside both', () => {
  const placed = new Placed(true);
  placed.begin(0);
  place(placed, 200, 150);
  place(placed, 260, 220, true);
  place(placed, 240, 200, true);
  place(placed, 300, 100);
  placed.begin(1);
  place(placed, 200, 150, false, 1);
  const all = rects(placed);
  expect(all.map(({ x }) => x)).toEqual([0, 0, 0, 0, 396]);
  for (const [i, a] of all.entries()) for (const b of all.slice(i + 1)) expect(overlaps(a, b)).toBe(false);
  // Between them there is room for the title.
  expect(all[1]!.y - all[0]!.height).toBeGreaterThanOrEqual(48);
});

describe('passes that are much wider than high', () => {
  const stacked = (count: number, width: number, height: number) => {
    const placed = new Placed();
    for (let column = 0; column < count; column += 1) {
      placed.begin(column);
      place(placed, width, height, false, column);
    }
    return placed;
  };

  it('are below each other until they are as high as wide, and then begin beside them', () => {
    const { columns, bounds } = stacked(30, 6000, 400);
    expect(new Set(columns.map(({ rect }) => rect!.x)).size).toBe(3);
    expect(bounds.height).toBeLessThanOrEqual(6000);
    for (const [i, a] of columns.entries()) {
      for (const b of columns.slice(i + 1)) expect(overlaps(a.rect!, b.rect!)).toBe(false);
    }
  });

  it('are beside each other where a window shows several', () => {
    expect(new Set(stacked(4, 900, 250).columns.map(({ rect }) => rect!.y))).toEqual(new Set([0]));
  });
});
