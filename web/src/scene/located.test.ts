// Protects: what is pointed to has a place on the stage, also a tensor that only what was computed from it, or what shares its
// memory, shows there.

import { expect, it } from 'vitest';
import { contains } from '../layout/rect';
import { goldens } from '../protocol/goldens';
import { locate } from './located';
import { buildScene } from './scene';
import { opened } from './walks';

it('finds a tensor without a card of its own where what was computed from it is', () => {
  const { timeline, layout } = opened([...goldens()].find(([name]) => name === '30_loss_history')![1]);
  const scene = buildScene(timeline.stateAt(timeline.moments.at(-1)!.index), layout, { selection: null, hover: null });
  const made = [...layout.log].find((event) => event.kind === 'op_applied' && event.op === 'mul');
  if (made?.kind !== 'op_applied') throw new Error('No op.');
  const ones = made.inputs[0]!.tensor!;
  expect(layout.cardsOf(ones)).toEqual([]);
  expect(locate({ type: 'tensor', tensor: ones }, scene)?.name).toBe('x');
});

it('finds the .data of a tensor where that tensor is', () => {
  const { timeline, layout } = opened([...goldens()].find(([name]) => name === '34_data_zero')![1]);
  const scene = buildScene(timeline.stateAt(timeline.moments.at(-1)!.index), layout, { selection: null, hover: null });
  const data = [...layout.log].find((event) => event.kind === 'tensor_created' && event.origin === 'data');
  if (data?.kind !== 'tensor_created') throw new Error('No .data.');
  expect(locate({ type: 'tensor', tensor: data.info.tensor }, scene)?.name).toBe('y');
});

it('takes an edge for its ends and its number, without what belongs to an end alone', () => {
  const { timeline, layout } = opened([...goldens()].find(([name]) => name === '40_fan_in')![1]);
  const scene = buildScene(timeline.stateAt(timeline.moments.at(-1)!.index), layout, { selection: null, hover: null });
  const link = layout.links.find(({ to, from }) => to.kind === 'op' && from.kind === 'leaf' && to.event !== null)!;
  const target = { type: 'edge', node: link.to.node!, inputNr: link.inputNr } as const;
  const found = locate(target, scene)!.rect;
  const pill = scene.part(link.to);
  if (pill.kind === 'card') throw new Error('No pill.');
  expect(contains(found, pill.rect)).toBe(true);
  expect(contains(found, scene.part(link.from).rect)).toBe(true);
  expect(pill.chips.length).toBeGreaterThan(0);
  for (const { rect } of pill.chips) expect(contains(found, rect)).toBe(false);
});
