// Protects: the boxes of one long line, and those of the runs of one loop in one place, are numbered, and all others are not.

import { expect, it } from 'vitest';
import type { Area } from '../../layout/area';
import type { Item } from '../../layout/graph';
import type { Chunk } from '../../layout/placed';
import { runShareOf, shareOf } from './share';

function stretch(...lines: number[]): Area {
  const items = lines.map((line, seq) => ({ kind: 'op', seq, event: { line, outputs: [] } }) as unknown as Item);
  const rect = { x: 0, y: 0, width: 1, height: 1 };
  return { rect, frame: null, seq: 0, items, links: [], areas: [], ops: items.length, wanted: [] };
}

it('numbers the stretches of one line among those beside them', () => {
  const areas = [stretch(9), stretch(10, 10), stretch(10), stretch(10, 11)];
  expect(areas.map((area) => shareOf(area, areas))).toEqual([null, { nr: 1, of: 2 }, { nr: 2, of: 2 }, null]);
});

it('numbers the runs of a loop in one place, over all chunks, a run in several chunks once', () => {
  const [first, second] = [{}, {}];
  const run = (text: string, outer: object): Area => {
    const frame = { place: { kind: 'loop', event: { text }, outer } } as unknown as Area['frame'];
    return { ...stretch(), frame };
  };
  const called = { kind: 'function', outer: first };
  const runs = [run('for a', first), run('for a', called), run('for b', first), run('for a', second)];
  const late = { ...run('for a', first), frame: runs[1]!.frame };
  const chunk = (...areas: Area[]) => ({ area: { ...stretch(), areas } }) as unknown as Chunk;
  const chunks = [chunk(...runs), chunk(late, run('for a', first))];
  const shares = [...runs, late].map((area) => runShareOf(area, chunks));
  expect(shares).toEqual([{ nr: 1, of: 3 }, { nr: 2, of: 3 }, null, null, { nr: 2, of: 3 }]);
  expect(runShareOf(stretch(1), chunks)).toBeNull();
});
