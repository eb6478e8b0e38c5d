// Protects: a question is placed at the tensor that it is about, over what is still empty and below what is there.

import { describe, expect, it } from 'vitest';
import { overlaps } from '../../layout/rect';
import { goldens } from '../../protocol/goldens';
import { buildScene } from '../../scene/scene';
import { opened } from '../../scene/walks';
import { mixed, moved, toggled } from './order';
import { bodyOf, placeOf, slotOf } from './question-place';

const runs = new Map(goldens());

function at(name: string, moment: (kinds: string[]) => number) {
  const { timeline, layout } = opened(runs.get(name)!);
  const index = moment(timeline.moments.map(({ kind }) => kind));
  const state = timeline.stateAt(index);
  return { state, layout, scene: buildScene(state, layout, { selection: null, hover: null }) };
}

const end = (kinds: string[]) => kinds.length - 1;
const beforePass = (kinds: string[]) => kinds.indexOf('backward_started') - 1;

describe('the place of a question', () => {
  const { state } = at('40_fan_in', end);

  it.each([
    ['x.grad', 'x', 'grad', '.grad'],
    ['x.grad.shape', 'x', 'grad', '.grad.shape'],
    ['x.grad_fn', 'x', 'value', '.grad_fn'],
    ['x.requires_grad', 'x', 'value', '.requires_grad'],
    ['y', 'y', 'value', 'y'],
    ['y.item()', 'y', 'value', 'y.item()'],
    ['type(y.grad_fn).__name__', 'y', 'value', 'type(y.grad_fn).__name__'],
    ['x.grad == 7', 'x', 'grad', 'x.grad == 7'],
  ])('of %s is at %s, its %s', (ask, name, slot, label) => {
    expect(placeOf(ask, state)).toMatchObject({ name, slot, label });
  });

  it.each([
    'x + y',
    '1 + 2',
    'unknown',
    "'x'",
    'f.x',
    'torch.is_grad_enabled()',
    'type(y.grad_fn.next_functions[0][0])',
  ])('of %s is nowhere on the stage', (ask) => expect(placeOf(ask, state)).toBeNull());

  it('of a path is at the longest name in it', () => {
    const mlp = at('22_module_hooks', end);
    const names = [...mlp.state.history.tensors.values()].flatMap(({ names }) => names.entries);
    const path = names.find((name) => name.endsWith('.weight'))!;
    expect(placeOf(`${path}.grad`, mlp.state)).toMatchObject({ name: path, slot: 'grad', label: '.grad' });
  });
});

it('lies over a .grad that is None, and below one that is there', () => {
  const before = at('40_fan_in', beforePass);
  const place = placeOf('x.grad', before.state)!;
  const empty = slotOf(place, before.scene)!;
  expect(empty.side).toBe('over');
  const after = at('40_fan_in', end);
  expect(slotOf(place, after.scene)!.side).toBe('below');
});

it('lies over what is still to be made, where it will be', () => {
  const start = at('40_fan_in', () => 0);
  const { state, scene } = at('40_fan_in', end);
  const y = placeOf('y', state)!;
  expect(slotOf(y, start.scene)!.side).toBe('over');
  expect(slotOf(y, scene)).toEqual({ ...slotOf(y, start.scene)!, side: 'below' });
});

it.each(['40_fan_in', '17_mlp', '14_broadcasting'])('knows the card or pill of each item of %s', (name) => {
  const { layout, scene } = at(name, end);
  for (const item of layout.items) {
    if (item.chunk < 0) continue;
    const part = scene.part(item);
    expect(bodyOf(item)).toEqual(part.rect);
    const others = layout.items.filter((other) => other !== item && other.chunk >= 0);
    expect(others.some((other) => overlaps(bodyOf(other), bodyOf(item)))).toBe(false);
  }
});

it('offers nodes as they were made, unless that is the answer', () => {
  expect(mixed([9, 5, 2])).toEqual([2, 5, 9]);
  expect(mixed([2, 5, 9])).toEqual([5, 9, 2]);
});

it('numbers nodes as they are clicked, and moves them', () => {
  expect(toggled([3], 5)).toEqual([3, 5]);
  expect(toggled([3, 5], 3)).toEqual([5]);
  expect(moved([1, 2, 3], 3, -1)).toEqual([1, 3, 2]);
  expect(moved([1, 2, 3], 1, 1)).toEqual([2, 1, 3]);
  expect(moved([1, 2, 3], 1, -1)).toEqual([1, 2, 3]);
  expect(moved([1, 2, 3], 3, 1)).toEqual([1, 2, 3]);
  expect(moved([1, 2], 4, 1)).toEqual([1, 2, 4]);
});
