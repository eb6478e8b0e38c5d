// Protects: an element of a gradient is shown with the numbers it comes from, and only where they come to what was sent.

import { describe, expect, it } from 'vitest';
import type { Summary } from '../protocol/events';
import { elementFilled } from './element-formula';
import { bindingOf } from './formula';
import { spoken } from './spoken';

const tensor = (shape: number[], values: number[]) => ({ shape, values, dtype: 'float32' }) as unknown as Summary;
const dim = (text: string) => [{ name: 'dim', tensor: null, text }];
const bound = (values: Record<string, Summary>) =>
  new Map(Object.entries(values).map(([name, value]) => [name, bindingOf(name, null, value)]));

const SOFTMAX = '\\text{result} \\cdot (g - \\textstyle\\sum g \\cdot \\text{result})';
const result = tensor([2, 2], [0.5, 0.5, 0.25, 0.75]);
const softmax = { bindings: bound({ result }), incoming: tensor([2, 2], [1, 0, 4, 0]), args: dim('-1') };

describe('the numbers of an element', () => {
  it('write out a sum along the dim, and are heard', () => {
    const filled = elementFilled(SOFTMAX, softmax, tensor([2, 2], [0.25, -0.25, 0.75, -0.75]), [1, 0]);
    expect(filled?.filled).toBe('0.25 \\cdot (4 - (4 \\cdot 0.25 + 0 \\cdot 0.75))');
    expect(spoken(filled!.filled)).toBe('0.25 × (4 - (4 × 0.25 + 0 × 0.75))');
  });

  it('have what their sums come to instead, where that is shorter', () => {
    const filled = elementFilled(SOFTMAX, softmax, tensor([2, 2], [0.25, -0.25, 0.75, -0.75]), [1, 0]);
    expect(filled?.brief).toBe('0.25 \\cdot (4 - 1)');
  });

  it('are left out where they do not come to what was sent', () => {
    expect(elementFilled(SOFTMAX, softmax, tensor([2, 2], [0.25, -0.25, 9, -0.75]), [1, 0])).toBeNull();
    expect(elementFilled('g\\ \\text{at the index}', softmax, tensor([2, 2], [1, 0, 4, 0]), [1, 0])).toBeNull();
  });

  it('find the incoming gradient of a sum along a dim, square or not', () => {
    const filling = { bindings: bound({}), incoming: tensor([2], [3, 5]), args: dim('1') };
    const sent = tensor([2, 2], [3, 3, 5, 5]);
    expect(elementFilled('g \\cdot \\mathbf{1}', filling, sent, [1, 0])?.filled).toBe('5 \\cdot 1');
  });

  it('compare its index with the one that was picked, along the dim of the op', () => {
    const bindings = bound({ indices: tensor([2], [2, 0]) });
    const filling = { bindings, incoming: tensor([2], [5, 7]), args: dim('1') };
    const sent = tensor([2, 3], [0, 0, 5, 7, 0, 0]);
    expect(elementFilled('g \\cdot [i = \\text{indices}]', filling, sent, [0, 2])?.filled).toBe('5 \\cdot [2 = 2]');
    expect(elementFilled('g \\cdot [i = \\text{indices}]', filling, sent, [1, 1])?.filled).toBe('7 \\cdot [1 = 0]');
  });

  it('share a gradient evenly among those that are as large', () => {
    const bindings = bound({ self: tensor([2, 2], [4, 4, 1, 0]), result: tensor([2], [4, 1]) });
    const ties = '\\frac{[\\text{self} = \\text{result}]}{\\textstyle\\sum [\\text{self} = \\text{result}]}';
    const filling = { bindings, incoming: tensor([2], [6, 5]), args: dim('1') };
    const filled = elementFilled(`g \\cdot ${ties}`, filling, tensor([2, 2], [3, 3, 5, 0]), [0, 1]);
    expect(filled?.filled).toBe('6 \\cdot \\frac{[4 = 4]}{([4 = 4] + [4 = 4])}');
  });

  it('add up what a bias gets from the rows', () => {
    const filling = { bindings: bound({}), incoming: tensor([3, 2], [1, 2, 3, 4, 5, -6]), args: [] };
    expect(elementFilled('\\textstyle\\sum g', filling, tensor([2], [9, 0]), [0])?.filled).toBe('(1 + 3 + 5)');
  });
});
