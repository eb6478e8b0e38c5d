// Protects: a box too slim for its name has it beside it, on the ground that it is on and over no other box.

import { expect, it } from 'vitest';
import { overlaps, type Rect } from '../../layout/rect';
import type { BlockPart, FramePart } from '../../scene/parts/parts';
import { Pen } from '../pen';
import type { ThemeTokens } from '../tokens';
import { sidePlates } from './side-plate';

const SCALE = 0.25;
const GROUND = { x: 0, y: 0, width: 800, height: 600 };
const SEEN = { x: -1000, y: -1000, width: 4000, height: 4000 };

const box = (name: string, rect: Rect, current = false) =>
  ({
    name,
    short: name,
    detail: '',
    shape: '',
    mark: null,
    heat: null,
    current,
    rect,
    area: {},
  }) as unknown as BlockPart;

function named(...blocks: BlockPart[]) {
  const pen = new Pen({} as CanvasRenderingContext2D, {} as ThemeTokens, SCALE);
  return sidePlates(pen, { frames: [{ rect: GROUND } as FramePart], blocks, plates: [] }, SEEN);
}

it('names slim boxes beside them, without a rim where they do not act', () => {
  const conv = { x: 100, y: 100, width: 200, height: 40 };
  const [plate] = named(box('conv1', conv));
  expect(plate).toMatchObject({ text: 'conv1', bare: true, selected: false });
  expect(plate!.rect.x).toBeGreaterThan(conv.x + conv.width);
  expect(named(box('conv1', conv, true))).toMatchObject([{ text: 'conv1', bare: false, selected: true }]);
});

it('stays on the ground of the box, and off other boxes', () => {
  const atRim = { x: 590, y: 100, width: 200, height: 40 };
  const [left] = named(box('conv1', atRim));
  expect(left!.rect.x).toBeLessThan(atRim.x);
  const beside = { x: 250, y: 0, width: 330, height: 600 };
  const [above] = named(box('conv1', atRim), box('round 1', beside));
  expect(overlaps(above!.rect, beside)).toBe(false);
});
