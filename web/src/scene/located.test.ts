// Protects: what is pointed to has a place on the stage, also a tensor that only what was computed from it shows there.

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
