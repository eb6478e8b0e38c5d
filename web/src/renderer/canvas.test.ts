// @vitest-environment happy-dom
// Protects: in a view that is hardly wide enough, all notes of each step are seen, in one view and clear of what lies over it.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { stepSum } from '../formulas/step-sum';
import { contains, grown, overlaps, type Rect } from '../layout/rect';
import { goldens } from '../protocol/goldens';
import type { OpEntry } from '../run/api';
import { buildScene, type Scene } from '../scene/scene';
import { opened } from '../scene/walks';
import { StageRenderer } from './canvas';
import type { ThemeTokens } from './tokens';

const FILE = join(import.meta.dirname, '../../../tests/golden/sentences/ops.json');
const OPS = JSON.parse(readFileSync(FILE, 'utf8')) as OpEntry[];

/** A renderer of a size that draws nothing. */
function rendererOf(width: number, height: number, covered: readonly Rect[]): StageRenderer {
  const canvas = document.createElement('canvas');
  Object.defineProperties(canvas, { clientWidth: { value: width }, clientHeight: { value: height } });
  canvas.getContext = () => null;
  return new StageRenderer(
    canvas,
    () => ({}) as ThemeTokens,
    () => {},
    () => covered,
  );
}

it.each([
  // Sums that go beside a long chain, whose chips and their notes leave little room there.
  { golden: '39_vanishing', width: 718, height: 628, aside: 48, covered: [{ x: 645, y: 458, width: 65, height: 160 }] },
  // A sum of three parts in the middle of a module, with the map over a corner.
  {
    golden: '22_module_hooks',
    width: 570,
    height: 491,
    aside: 40,
    covered: [
      { x: 8, y: 345, width: 170, height: 137 },
      { x: 530, y: 323, width: 32, height: 160 },
    ],
  },
])('shows all notes of the steps of $golden', ({ golden, width, height, aside, covered }) => {
  const { timeline, layout } = opened([...goldens()].find(([name]) => name === golden)![1]);
  const renderer = rendererOf(width, height, covered);
  renderer.camera.aside = aside;
  let latest: Scene | null = null;
  let noted = 0;
  for (const { index } of timeline.moments) {
    const state = timeline.stateAt(index);
    const options = { selection: null, hover: null, sum: stepSum(state, OPS) };
    latest = buildScene(state, layout, options, latest);
    renderer.setScene(latest);
    const seen = latest.remarks.filter(({ about }) => overlaps(about, renderer.camera.aim));
    expect(
      latest.notes.map(({ about }) => about),
      `step ${index + 1}`,
    ).toEqual(seen.map(({ about }) => about));
    for (const { rect } of latest.notes) {
      const { aim, goal } = renderer.camera;
      expect(contains(grown(aim, 0.01), rect), `step ${index + 1}`).toBe(true);
      const place = { x: rect.x - aim.x, y: rect.y - aim.y, width: rect.width, height: rect.height };
      const over = covered.map(({ x, y, ...size }) => ({ x: x / goal, y: y / goal, ...size }));
      expect(
        over.some((one) => overlaps(one, place)),
        `step ${index + 1}`,
      ).toBe(false);
      noted += 1;
    }
  }
  renderer.destroy();
  expect(noted).toBeGreaterThan(5);
});
