// Protects: an arrowhead is at the rim of the box that an edge leads into, and points straight into it.

import { expect, it } from 'vitest';
import { entryOf } from './box-arrow';

const box = { x: 100, y: 100, width: 100, height: 50 };

it('is where an edge comes in from above, however it ran before', () => {
  const points = Float32Array.of(0, 0, 0, 60, 150, 60, 150, 120);
  expect(entryOf(points, 'end', box)).toEqual({ x: 150, y: 100, dx: 0, dy: 60 });
});

it('is at the side that a slanted edge crosses last', () => {
  expect(entryOf(Float32Array.of(0, 100, 200, 150), 'end', box)).toEqual({ x: 100, y: 125, dx: 200, dy: 0 });
});

it('is at the other end for what goes back', () => {
  expect(entryOf(Float32Array.of(150, 140, 150, 300), 'start', box)).toEqual({ x: 150, y: 150, dx: 0, dy: -160 });
});

it('is nowhere for an edge inside the box', () => {
  expect(entryOf(Float32Array.of(120, 110, 150, 140), 'end', box)).toBeNull();
});
