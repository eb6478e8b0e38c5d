// Protects: at an optimizer's step a parameter's card says from where to where it moves, in the room that it has.

import { describe, expect, it } from 'vitest';
import type { Summary } from '../../protocol/events';
import type { RunState } from '../../timeline/state';
import { movedText } from './moved';

const summary = (shape: number[], values: number[], norm = 1): Summary => ({
  shape,
  dtype: 'float32',
  strides: [],
  nbytes: 4,
  min: null,
  max: null,
  mean: null,
  norm,
  nan_count: 0,
  inf_count: 0,
  values,
});
const step = (before: Summary, after: Summary, change: Summary | null) =>
  ({
    events: [{ kind: 'optimizer_stepped', groups: [], updates: [{ tensor: 1, before, after, change, grad: null }] }],
  }) as unknown as RunState;

describe('a parameter that moves', () => {
  it.each([
    ['a number', step(summary([], [0.5]), summary([], [0.48]), null), 13, '0.5 → 0.48'],
    ['a number of many digits', step(summary([], [0.379412]), summary([], [0.373187]), null), 13, '0.379 → 0.373'],
    ['a small tensor', step(summary([2], [1, 2]), summary([2], [0, 1]), summary([2], [-1, -1])), 16, '[1, 2] → [0, 1]'],
    [
      'a larger tensor',
      step(summary([8, 4], [1]), summary([8, 4], [2]), summary([8, 4], [1], 0.05395)),
      20,
      'f32[8, 4] Δ 0.05395',
    ],
    ['little room', step(summary([8, 4], [1]), summary([8, 4], [2]), summary([8, 4], [1], 0.05395)), 9, 'Δ 0.05395'],
    ['no room', step(summary([8, 4], [1]), summary([8, 4], [2]), null), 9, null],
    ['numbers that look the same', step(summary([], [0.5]), summary([], [0.50000001]), null), 20, null],
  ])('%s', (_, state, chars, text) => {
    expect(movedText(1, state, chars as number)).toBe(text);
  });

  it('is silent in any other step', () => {
    expect(movedText(1, { events: [{ kind: 'op_applied' }] } as unknown as RunState, 20)).toBeNull();
  });
});
