// Protects: the boxes of one long line are numbered, and all others are not.

import { expect, it } from 'vitest';
import type { Area } from '../../layout/area';
import type { Item } from '../../layout/graph';
import { shareOf } from './share';

function stretch(...lines: number[]): Area {
  const items = lines.map((line, seq) => ({ kind: 'op', seq, event: { line, outputs: [] } }) as unknown as Item);
  const rect = { x: 0, y: 0, width: 1, height: 1 };
  return { rect, frame: null, seq: 0, items, links: [], areas: [], ops: items.length, wanted: [] };
}

it('numbers the stretches of one line among those beside them', () => {
  const areas = [stretch(9), stretch(10, 10), stretch(10), stretch(10, 11)];
  expect(areas.map((area) => shareOf(area, areas))).toEqual([null, { nr: 1, of: 2 }, { nr: 2, of: 2 }, null]);
});
