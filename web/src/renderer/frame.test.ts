// Protects: the name of a ground lies on nothing else that has a name, and stands as near to its corner as it can.

import { describe, expect, it } from 'vitest';
import { overlaps, type Rect } from '../layout/rect';
import type { FramePart } from '../scene/parts';
import { platesOf } from './frame';
import { Pen } from './pen';
import type { ThemeTokens } from './tokens';

const SCALE = 0.25;

function plateAmong(shapes: Rect[], scale = SCALE): Rect | undefined {
  const pen = new Pen({} as CanvasRenderingContext2D, {} as ThemeTokens, scale);
  const part = { rect: { x: 0, y: 0, width: 1000, height: 600 }, frame: { name: 'conv1' } } as FramePart;
  return platesOf(pen, [part], [], shapes)[0]?.rect;
}

const card = (x: number, width = 200): Rect => ({ x, y: 10, width, height: 90 });

describe('the plate of a ground', () => {
  it('lies on its corner where that is free', () => {
    const plate = plateAmong([card(600)])!;
    expect(plate.x).toBeLessThan(50);
    expect(plate.y).toBeLessThan(0);
    expect(plate.y + plate.height).toBeGreaterThan(0);
  });

  it('lies beside what has a name', () => {
    const plate = plateAmong([card(10)])!;
    expect(plate.x).toBeGreaterThan(210);
    expect(plate.y + plate.height).toBeGreaterThan(0);
  });

  it('stands above its ground where names fill the rim', () => {
    const wide = card(0, 1000);
    const plate = plateAmong([wide])!;
    expect(plate.y + plate.height).toBeLessThanOrEqual(0);
    expect(overlaps(plate, wide)).toBe(false);
  });

  it('is left out where there is no room at all, but covers shapes that have no names', () => {
    const all = [{ x: -500, y: -500, width: 3000, height: 2000 }];
    expect(plateAmong(all)).toBeUndefined();
    expect(plateAmong(all, 0.18)).toBeDefined();
  });
});
