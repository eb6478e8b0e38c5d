// Protects: the name of a ground lies on nothing else that has a name, and is as near to its corner as it can.

import { describe, expect, it } from 'vitest';
import { overlaps, type Rect } from '../../layout/rect';
import type { BlockPart, FramePart } from '../../scene/parts/parts';
import { Pen } from '../pen';
import type { ThemeTokens } from '../tokens';
import { platesOf } from './frame';

const SCALE = 0.25;

function plateAmong(shapes: Rect[], scale = SCALE): Rect | undefined {
  const pen = new Pen({} as CanvasRenderingContext2D, {} as ThemeTokens, scale);
  const part = {
    rect: { x: 0, y: 0, width: 1000, height: 600 },
    frame: { name: 'conv1', short: 'conv1', outer: null },
  } as FramePart;
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

  it('leaves what is kept free to be seen, and the place beside a slim box that acts', () => {
    const pen = new Pen({} as CanvasRenderingContext2D, {} as ThemeTokens, SCALE);
    const frame = { name: 'round 3', short: 'round 3', outer: null };
    const part = { rect: { x: 0, y: 0, width: 1000, height: 600 }, frame } as FramePart;
    const acts = { name: 'conv1', rect: { x: 0, y: 0, width: 100, height: 40 }, current: true } as BlockPart;
    const beside = platesOf(pen, [part], [acts], [], [acts.rect])[0]!.rect;
    expect(beside.x).toBeGreaterThan(300);
    expect(beside.y + beside.height).toBeGreaterThan(0);
    expect(platesOf(pen, [part], [], [], [{ x: -500, y: -500, width: 3000, height: 2000 }])).toEqual([]);
  });

  it('goes by a short name where the whole one has no room', () => {
    const part = (width: number) => {
      const frame = { name: 'for step in range(4)', short: 'for step', outer: null };
      return { rect: { x: 0, y: 0, width, height: 600 }, frame } as FramePart;
    };
    const pen = new Pen({} as CanvasRenderingContext2D, {} as ThemeTokens, SCALE);
    const texts = [1000, 500, 200].map((width) => platesOf(pen, [part(width)], [], [])[0]?.text);
    expect(texts).toEqual(['for step in range(4)', 'for step', undefined]);
  });

  it('leaves the corners of the grounds in it to their names', () => {
    const frame = { name: 'for t in range(3)', short: 'for t', outer: null, place: { kind: 'loop' } };
    const loop = { rect: { x: 0, y: 0, width: 2000, height: 900 }, frame } as FramePart;
    const rounds = [0, 1, 2].map((i): FramePart => {
      const rect = { x: 10 + i * 660, y: 30, width: 650, height: 800 };
      return { rect, frame: { name: `round ${i + 1}`, short: `${i + 1}`, outer: frame } } as FramePart;
    });
    const pen = new Pen({} as CanvasRenderingContext2D, {} as ThemeTokens, SCALE);
    // Its own corner is taken by a name.
    const plates = platesOf(pen, [loop, ...rounds], [], [{ x: 0, y: -40, width: 300, height: 60 }]);
    expect(plates.map(({ text }) => text)).toEqual(['for t in range(3)', 'round 1', 'round 2', 'round 3']);
  });

  it('is no number without the name that it belongs to', () => {
    const pen = new Pen({} as CanvasRenderingContext2D, {} as ThemeTokens, SCALE);
    const frame = { name: 'layer2', short: 'layer2', outer: null, place: { kind: 'module' } };
    const outer = (width: number) => ({ rect: { x: 0, y: 0, width, height: 900 }, frame }) as FramePart;
    const inner = { name: 'layer2.0', short: '0', outer: frame, place: { kind: 'module' } };
    const child = { rect: { x: 10, y: 300, width: 600, height: 500 }, frame: inner } as FramePart;
    const texts = (parts: FramePart[]) => platesOf(pen, parts, [], []).map(({ text }) => text);
    expect(texts([outer(1000), child])).toEqual(['layer2', 'layer2.0']);
    expect(texts([outer(1000), { ...child, rect: { ...child.rect, width: 200 } }])).toEqual(['layer2', '0']);
    expect(texts([outer(300), child])).toEqual(['layer2.0']);
    expect(texts([outer(300), { ...child, rect: { ...child.rect, width: 200 } }])).toEqual([]);
  });

  it('stands below the rim where a block above would lose its texts', () => {
    const pen = new Pen({} as CanvasRenderingContext2D, {} as ThemeTokens, SCALE);
    const part = {
      rect: { x: 0, y: 0, width: 500, height: 600 },
      frame: { name: 'conv1', short: 'conv1', outer: null },
    };
    const above = { rect: { x: 0, y: -300, width: 500, height: 295 } } as BlockPart;
    const [plate] = platesOf(pen, [part as FramePart], [above], []);
    expect(plate!.rect.y).toBeGreaterThan(0);
  });
});
