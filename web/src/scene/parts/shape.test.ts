// Protects: texts of two parallel edges are where they are drawn: at their outer sides, clear of both lines.

import { expect, it } from 'vitest';
import { LABEL_GAP, LANE, SMALL, width } from '../../layout/size';
import { goldens } from '../../protocol/goldens';
import { buildScene } from '../scene';
import { opened } from '../walks';
import { numberOf, shapesOf } from './shape';

const { timeline, layout } = opened(goldens().find(([name]) => name === '10_retain_graph')![1]);
const scene = buildScene(timeline.stateAt(timeline.moments.length - 1), layout, {
  selection: null,
  hover: null,
});
const parallel = layout.links.filter(({ from, to }) => from.kind === 'op' && to.inputs.length === 2);
const [left, right] = parallel.map((link) => ({ link, rect: numberOf(scene.edge(link))! }));

it('has the number of each edge at the side at which it is drawn', () => {
  expect(left!.rect.x + left!.rect.width).toBe(left!.link.labelX - LANE - LABEL_GAP);
  expect(right!.rect.x).toBe(right!.link.labelX + LANE + LABEL_GAP);
});

it('has the name and value of what both lead from beyond the outer line', () => {
  const { from } = left!.link;
  const part = scene.part(from);
  const name = shapesOf(part).find(({ kind }) => kind === 'name')!.rect;
  const { spread, x } = from.outputs[0]!;
  expect(spread).toBeGreaterThan(0);
  expect(name.x + name.width).toBe(from.x + x - spread - LABEL_GAP - LANE);
  expect(name.width).toBeGreaterThan(width(1, SMALL));
});
