// Protects: a recorded derivative says and shows what it is the derivative of, and its line leads over nothing.

import { expect, it } from 'vitest';
import type { Breadth } from '../../layout/label';
import { overlaps } from '../../layout/rect';
import { goldens } from '../../protocol/goldens';
import { titlesOf } from '../titles';
import { opened } from '../walks';
import { extentOf } from './extent';

const GOLDENS = goldens();

function shown(name: string, breadth: Breadth = 'wide') {
  const [, events] = GOLDENS.find(([golden]) => golden === name)!;
  const { timeline, layout } = opened(events, breadth);
  const state = timeline.stateAt(timeline.moments.length - 1);
  return { layout, state, titles: titlesOf({ layout, state }).filter(({ second }) => second) };
}

it('names what a pass differentiated, and leads from there to the title', () => {
  const { layout, titles } = shown('12_second_derivative');
  expect(titles.map(({ text }) => text)).toEqual([
    '1st derivative, recorded from y',
    '2nd derivative, recorded from first',
  ]);
  const roots = ['x⁴', '×'].map((text) => layout.items.find((item) => item.kind === 'op' && item.text === text)!);
  titles.forEach(({ tie, rect }, i) => {
    const root = roots[i]!;
    expect(tie![0]![0]).toBeGreaterThan(root.x + root.right);
    expect(tie![0]![1]).toBeGreaterThan(root.y);
    expect(tie![0]![1]).toBeLessThan(root.y + root.height);
    expect(tie!.at(-1)![0]).toBeLessThan(rect.x);
  });
});

it('leads down to the title of what is below its graph on an upright stage', () => {
  const { titles } = shown('12_second_derivative', 'upright');
  expect(titles).toHaveLength(2);
  for (const { tie, rect } of titles) {
    const [x, y] = tie!.at(-1)!;
    expect(tie![0]![1]).toBeLessThan(y);
    expect(y).toBeLessThanOrEqual(rect.y);
    expect(x).toBeGreaterThanOrEqual(rect.x);
    expect(x).toBeLessThanOrEqual(rect.x + rect.width);
  }
});

const EACH = GOLDENS.flatMap(([name]) => (['wide', 'upright'] as const).map((breadth) => [name, breadth] as const));

it.each(EACH)('leads over nothing in %s on a stage that is %s', (name, breadth) => {
  const { layout, titles } = shown(name, breadth);
  for (const { tie } of titles) {
    for (let i = 1; i < (tie?.length ?? 0); i += 1) {
      const [[x, y], [toX, toY]] = [tie![i - 1]!, tie![i]!];
      const part = {
        x: Math.min(x, toX),
        y: Math.min(y, toY),
        width: Math.abs(toX - x) + 1,
        height: Math.abs(toY - y) + 1,
      };
      for (const item of layout.items) expect(overlaps(extentOf(item), part), `${name}: ${item.text}`).toBe(false);
    }
  }
});
