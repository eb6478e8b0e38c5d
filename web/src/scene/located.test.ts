// Protects: what is pointed to has a place on the stage, also a tensor that only what was computed from it, or what shares its
// memory, shows there.

import { expect, it } from 'vitest';
import { goldens } from '../protocol/goldens';
import { locate } from './located';
import { buildScene } from './scene';
import { opened } from './walks';

it('finds a tensor without a card of its own where what was computed from it is', () => {
  const { timeline, layout } = opened([...goldens()].find(([name]) => name === '30_loss_history')![1]);
  const scene = buildScene(timeline.stateAt(timeline.moments.at(-1)!.index), layout, { selection: null, hover: null });
  const made = layout.log.events.find((event) => event.kind === 'op_applied' && event.op === 'mul');
  if (made?.kind !== 'op_applied') throw new Error('No op.');
  const ones = made.inputs[0]!.tensor!;
  expect(layout.cardsOf(ones)).toEqual([]);
  expect(locate({ type: 'tensor', tensor: ones }, scene)?.name).toBe('x');
});

it('finds the .data of a tensor where that tensor is', () => {
  const { timeline, layout } = opened([...goldens()].find(([name]) => name === '34_data_zero')![1]);
  const scene = buildScene(timeline.stateAt(timeline.moments.at(-1)!.index), layout, { selection: null, hover: null });
  const data = layout.log.events.find((event) => event.kind === 'tensor_created' && event.origin === 'data');
  if (data?.kind !== 'tensor_created') throw new Error('No .data.');
  expect(locate({ type: 'tensor', tensor: data.info.tensor }, scene)?.name).toBe('y');
});
