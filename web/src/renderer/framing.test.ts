// Protects: the view shows all that an answer is about where it fits, else the first with what is nearest to it.

import { beforeEach, expect, it } from 'vitest';
import type { Rect } from '../layout/rect';
import { Camera } from './camera';
import { frameThings } from './framing';

const all = { x: 0, y: 0, width: 4000, height: 4000 };
const camera = new Camera(
  () => ({ rect: all, anchor: null, drawn: null }),
  () => all,
  () => {},
);
const at = (x: number, y: number): Rect => ({ x, y, width: 40, height: 20 });

beforeEach(() => {
  camera.width = 800;
  camera.height = 600;
  camera.goHome(false);
});

it('shows all things where they fit', () => {
  const framed = frameThings(camera, [at(1000, 1000), at(1500, 1300)], []);
  expect(framed?.rect).toEqual({ x: 1000, y: 1000, width: 540, height: 320 });
});

it('shows beside the first what is nearest to it, and no more than fits', () => {
  const things = [at(1000, 1300), at(1000, 2900), at(2400, 1300), at(1050, 1450), at(1000, 1100)];
  expect(frameThings(camera, things, [])?.rect).toEqual({ x: 1000, y: 1100, width: 90, height: 370 });
});

it('shows the first as large as it can where even that does not fit, and nothing where there is nothing', () => {
  const huge = { x: 100, y: 100, width: 3000, height: 50 };
  expect(frameThings(camera, [huge, at(0, 0)], [])?.rect).toEqual(huge);
  expect(frameThings(camera, [], [])).toBeNull();
});
