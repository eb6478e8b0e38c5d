// Protects: the playhead names the op of a step as its caption does, and any other step by its title.

import { expect, it } from 'vitest';
import type { Event } from '../protocol/events';
import type { Moment } from '../timeline/moments';
import { stepTitle } from './step-title';

const moment = (kind: Event['kind'], title: string) => ({ kind, title }) as Moment;

it('names ops as the caption does', () => {
  const op = { kind: 'op_applied', op: 'linalg_inv_ex', inputs: [] } as unknown as Event;
  expect(stepTitle(moment('op_applied', 'linalg_inv_ex'), [op])).toBe('linalg.inv');
  const changed = { kind: 'tensor_mutated', op: 'div_unrounded_' } as Event;
  expect(stepTitle(moment('tensor_mutated', 'div_unrounded_ in place'), [changed])).toBe('div_ in place');
  expect(stepTitle(moment('grad_cleared', 'zero_grad()'), [op])).toBe('zero_grad()');
});
