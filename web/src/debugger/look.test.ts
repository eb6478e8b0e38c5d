// Protects: a variable takes few characters: a tensor is its elements or its shape, and a NaN in anything is named.

import { expect, it } from 'vitest';
import type { Look, Summary } from '../protocol/events';
import { lookText } from './look';

const summary = (shape: number[], values: (number | string)[], bad = 0) =>
  ({ shape, dtype: 'torch.float32', values, nan_count: bad, inf_count: 0 }) as unknown as Summary;
const look = (text: string, value: Summary | null): Look => ({ type: 'Tensor', text, tensor: 1, value });

it('shows the elements of a small tensor and the shape of a large one', () => {
  expect(lookText(look('tensor([1., 2.], grad_fn=<MulBackward0>)', summary([2], [1, 2])))).toBe('[1, 2]');
  expect(lookText(look('tensor([...])', summary([64, 128], [1])))).toBe('f32[64, 128]');
});

it('says that a large one has a NaN', () => {
  expect(lookText(look('tensor([...])', summary([64, 128], [1], 3)))).toBe('f32[64, 128] NaN');
});

it('shows the Python text of anything else', () => {
  expect(lookText(look("{'lr': 0.1}", null))).toBe("{'lr': 0.1}");
});
