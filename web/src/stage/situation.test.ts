// Protects: a program without a graph is told why, with the line to change.

import { describe, expect, it } from 'vitest';
import type { Event } from '../protocol/events';
import { missingGraph } from './situation';

const created = (line: number, requires_grad = false) => ({
  kind: 'tensor_created',
  seq: 0,
  line,
  origin: 'tensor',
  info: { tensor: 1, requires_grad },
});
const named = { kind: 'tensor_named', seq: 1, line: 3, tensor: 1, name: 'w' };

describe('a program without a graph', () => {
  it.each([
    ['names the line that forgets requires_grad', [created(3), named], /line 3 creates w without requires_grad=True/],
    ['says that nothing was recorded', [created(2, true)], /Line 2 creates a tensor that requires grad/],
    [
      'does not ask for requires_grad under torch.func',
      [created(3), named, { kind: 'transform_entered', seq: 2, line: 5, transform: 'grad', depth: 1 }],
      /^Line 5 works with torch.func, whose gradients need no requires_grad/,
    ],
    ['says that there are no tensors', [{ kind: 'output_printed', seq: 0, line: 1 }], /makes no tensors/],
  ])('%s', (_, events, text) => {
    expect(missingGraph(events as unknown as Event[])).toMatch(text);
  });

  it('is silent where tangents travel', () => {
    expect(missingGraph([created(1), { kind: 'tangent_computed', seq: 1 }] as unknown as Event[])).toBeNull();
  });

  it('is silent where there is a graph', () => {
    expect(missingGraph([created(1), { kind: 'op_applied', node: { node: 1 } }] as unknown as Event[])).toBeNull();
  });
});
