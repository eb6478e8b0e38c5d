// Protects: a graph that is shown as boxes is stepped by what the boxes are.

import { expect, it } from 'vitest';
import type { Area } from '../layout/area';
import type { Frame } from '../layout/frame';
import type { BlockPart } from '../scene/parts/parts';
import { suitedUnit } from './suited-unit';

const loop = { kind: 'loop', outer: null };
const places: Record<string, object> = {
  loop,
  round: { kind: 'round', outer: loop },
  'inner round': { kind: 'round', outer: { kind: 'loop', outer: { kind: 'round', outer: loop } } },
};
const frame = (kind: string) => ({ place: places[kind] ?? { kind, outer: null } }) as unknown as Frame;
const box = (kind: string | null, ops: number, inner: string | null = null): BlockPart => {
  const areas = inner ? [{ frame: frame(inner) } as Area] : [];
  return { area: { frame: kind ? frame(kind) : null, areas, ops } as unknown as Area } as BlockPart;
};

it('is what most ops are in', () => {
  const units = ['node', 'module', 'round'] as const;
  expect(suitedUnit([box('module', 100), box('round', 40)], units)).toBe('module');
  expect(suitedUnit([box('function', 30), box('loop', 40), box('round', 40)], units)).toBe('round');
});

it('is what a stretch without a place consists of', () => {
  expect(suitedUnit([box(null, 90, 'round'), box('module', 10)], ['node', 'module', 'round'])).toBe('round');
});

it('is a module where the rounds are those of layers in a training loop', () => {
  expect(suitedUnit([box('inner round', 100)], ['node', 'module', 'round'])).toBe('module');
});

it('is one that the run can be stepped in', () => {
  expect(suitedUnit([box('module', 100)], ['node', 'round'])).toBe('round');
  expect(suitedUnit([box('round', 100)], ['node', 'module'])).toBe('module');
  expect(suitedUnit([box(null, 100)], ['node'])).toBe('node');
});
