// Protects: the map crosses out what failed or is not a number: single things, and in graphs without room for them what holds some.

import { expect, it } from 'vitest';
import { goldens } from '../protocol/goldens';
import { buildScene, type Scene } from '../scene/scene';
import { opened } from '../scene/walks';
import { drawMap } from './map';
import type { ThemeTokens } from './tokens';

const tokens = { error: 'error', paper: 'paper' } as ThemeTokens;

/** The middles of the crosses on a map at a scale, on its pixels. */
function crosses(scene: Scene, scale: number): [number, number][] {
  const found: [number, number][] = [];
  let at: [number, number][] = [];
  const ctx = {
    globalAlpha: 1,
    strokeStyle: '',
    fillRect() {},
    beginPath: () => (at = []),
    moveTo: (x: number, y: number) => at.push([x, y]),
    lineTo: (x: number, y: number) => at.push([x, y]),
    stroke() {
      if (ctx.strokeStyle !== 'error') return;
      const [xs, ys] = [at.map(([x]) => x), at.map(([, y]) => y)];
      found.push([(Math.min(...xs) + Math.max(...xs)) / 2, (Math.min(...ys) + Math.max(...ys)) / 2]);
    },
  };
  drawMap(ctx as unknown as CanvasRenderingContext2D, scene, { rect: scene.bounds, scale }, tokens);
  return found;
}

function endOf(golden: string): Scene[] {
  const { timeline, layout } = opened([...goldens()].find(([name]) => name === golden)![1]);
  return [0, timeline.moments.length - 1].map((at) =>
    buildScene(timeline.stateAt(at), layout, { selection: null, hover: null }),
  );
}

it.each(['43_nan_spreads', '28_where_nan', '15_in_place_error'])('crosses out what is broken in %s', (golden) => {
  const [first, last] = endOf(golden);
  for (const scale of [0.2, 0.0001]) {
    expect(crosses(first!, scale)).toEqual([]);
    expect(crosses(last!, scale).length).toBeGreaterThan(0);
  }
});

it('crosses out a node that sent a NaN, whose numbers are finite', () => {
  const [, last] = endOf('28_where_nan');
  const { nanSent } = last!.state.history;
  expect(nanSent.size).toBeGreaterThan(0);
  const marked = crosses(last!, 0.2);
  for (const node of nanSent.keys()) {
    const item = last!.layout.itemOfNode(node)!;
    const y = (item.y + item.pillTop - last!.bounds.y) * 0.2;
    expect(marked.some(([, middle]) => Math.abs(middle - y) < 10)).toBe(true);
  }
});

it('crosses out nothing where all is sound', () => {
  const [, last] = endOf('17_mlp');
  for (const scale of [0.2, 0.0001]) expect(crosses(last!, scale)).toEqual([]);
});

it.each([
  ['-inf', 0],
  ['9', 1],
])('crosses out an infinity unless the program asked for it, as masked_fill by %s', (filled, count) => {
  const events = structuredClone([...[...goldens()].find(([name]) => name === '17_mlp')![1]]);
  const op = events.find((event) => event.kind === 'op_applied' && event.op === 'tanh');
  if (op?.kind !== 'op_applied') throw new Error('No op.');
  op.inputs.push({ name: 'value', tensor: null, text: filled });
  op.outputs[0]!.value.inf_count = 1;
  const { timeline, layout } = opened(events);
  const scene = buildScene(timeline.stateAt(timeline.moments.length - 1), layout, { selection: null, hover: null });
  expect(crosses(scene, 0.2)).toHaveLength(count);
});
