// Protects: a recorded derivative says and shows what it is the derivative of, and its line leads over nothing.

import { expect, it } from 'vitest';
import { overlaps } from '../../layout/rect';
import { goldens } from '../../protocol/goldens';
import { titlesOf } from '../titles';
import { opened } from '../walks';
import { extentOf } from './extent';

const GOLDENS = goldens();

function shown(name: string) {
  const [, events] = GOLDENS.find(([golden]) => golden === name)!;
  const { timeline, layout } = opened(events);
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

it.each(GOLDENS)('leads over nothing in %s', (name) => {
  const { layout, titles } = shown(name);
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
