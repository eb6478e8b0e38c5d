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

const pen = new Pen({} as CanvasRenderingContext2D, {} as ThemeTokens, SCALE);

function named(...blocks: BlockPart[]) {
  return sidePlates(pen, { frames: [{ rect: GROUND } as FramePart], blocks, plates: [], titles: [] }, SEEN);
}

it('names slim boxes beside them, without a rim where they do not act', () => {
  const conv = { x: 100, y: 100, width: 200, height: 40 };
  const [plate] = named(box('conv1', conv));
  expect(plate).toMatchObject({ text: 'conv1', bare: true, selected: false });
  expect(plate!.rect.x).toBeGreaterThan(conv.x + conv.width);
  expect(named(box('conv1', conv, true))).toMatchObject([{ text: 'conv1', bare: false, selected: true }]);
});

it('names one of the boxes on a ground that share a name', () => {
  const rows = [100, 160, 220].map((y) => box('for t', { x: 100, y, width: 200, height: 40 }));
  expect(named(...rows, box('conv1', { x: 100, y: 280, width: 200, height: 40 }))).toMatchObject([
    { text: 'for t' },
    { text: 'conv1' },
  ]);
});

it('stays on the ground of the box, and off other boxes', () => {
  const atRim = { x: 590, y: 100, width: 200, height: 40 };
  const [left] = named(box('conv1', atRim));
  expect(left!.rect.x).toBeLessThan(atRim.x);
  const beside = { x: 250, y: 0, width: 330, height: 600 };
  const [above] = named(box('conv1', atRim), box('round 1', beside));
  expect(overlaps(above!.rect, beside)).toBe(false);
});

it('names the opened box that acts, where no plate on it does', () => {
  const frame = { name: 'conv1', short: 'conv1', outer: null } as unknown as FramePart['frame'];
  const rect = { x: 100, y: 100, width: 60, height: 40 };
  const frames = [{ rect: GROUND, current: true } as FramePart, { frame, rect, current: true } as FramePart];
  expect(sidePlates(pen, { frames, blocks: [], plates: [], titles: [] }, SEEN)).toMatchObject([
    { text: 'conv1', selected: true },
  ]);
  const plates = [{ about: frame, selected: false, text: 'conv1', rect }];
  expect(sidePlates(pen, { frames, blocks: [], plates, titles: [] }, SEEN)).toEqual([]);
});

it('is flush with a rim of its box where there is no room at the middle', () => {
  const seen = { x: 100, y: 0, width: 600, height: 600 };
  const beside = { x: 160, y: 90, width: 440, height: 300 };
  const [plate] = sidePlates(
    pen,
    {
      frames: [],
      blocks: [box('47', { x: 100, y: 100, width: 40, height: 30 }, true), box('model', beside)],
      plates: [],
      titles: [],
    },
    seen,
  );
  expect(plate!.rect.x).toBe(100);
});

it('names what acts among boxes that leave it no ground, off their texts', () => {
  const seen = { x: 0, y: 0, width: 800, height: 600 };
  const acts = { x: 300, y: 200, width: 40, height: 200 };
  const around = [
    box('left', { x: 0, y: 0, width: 296, height: 600 }),
    box('right', { x: 344, y: 0, width: 456, height: 600 }),
    box('above', { x: 296, y: 0, width: 48, height: 196 }),
    box('below', { x: 296, y: 404, width: 48, height: 196 }),
  ];
  const [plate] = sidePlates(
    pen,
    { frames: [], blocks: [box('conv1', acts, true), ...around], plates: [], titles: [] },
    seen,
  );
  expect(plate).toMatchObject({ text: 'conv1', selected: true });
  expect(overlaps(plate!.rect, { x: 122, y: 276, width: 52, height: 48 })).toBe(false);
});

it('names what acts beside boxes without names where there is other room', () => {
  const acts = { x: 300, y: 200, width: 200, height: 40 };
  const slim = { x: 520, y: 190, width: 100, height: 44 };
  const [plate] = sidePlates(
    pen,
    { frames: [], blocks: [box('conv1', acts, true), { ...box('norm1', slim), name: '' }], plates: [], titles: [] },
    SEEN,
  );
  expect(plate).toMatchObject({ text: 'conv1', selected: true });
  expect(overlaps(plate!.rect, slim)).toBe(false);
  const titles = [{ rect: { x: 500, y: 100, width: 400, height: 300 } }];
  const [other] = sidePlates(pen, { frames: [], blocks: [box('conv1', acts, true)], plates: [], titles }, SEEN);
  expect(overlaps(other!.rect, titles[0]!.rect)).toBe(false);
});
