// Protects: arrow keys walk along the edges of the graph, and sideways through everything on the stage.

import { expect, it } from 'vitest';
import { Mentions } from '../facts/mentions';
import type { Event } from '../protocol/events';
import type { OutlineEntry } from '../scene/outline';
import { logged } from '../store/logged';
import { inputsOf, neighbour } from './neighbours';

const node = (id: number, edges: number[]) => ({
  node: id,
  name: `N${id}`,
  sequence_nr: id,
  next_functions: edges.map((to) => ({ node: to, output_nr: 0 })),
  saved: [],
  attributes: {},
});
const events = [
  { kind: 'node_created', seq: 0, line: 1, node: 1, name: 'AccumulateGrad', tensor: 10 },
  { kind: 'op_applied', seq: 1, line: 2, op: 'mul', inputs: [], outputs: [], node: node(2, [1]) },
  { kind: 'op_applied', seq: 2, line: 3, op: 'add', inputs: [], outputs: [], node: node(3, [2, 1]) },
] as unknown as Event[];
const entries = [
  { id: 'x', target: { type: 'tensor', tensor: 10 } },
  { id: 'mul', target: { type: 'node', node: 2 } },
  { id: 'add', target: { type: 'node', node: 3 } },
] as OutlineEntry[];

it('follows edges to leaves and back', () => {
  const inputs = inputsOf(entries, new Mentions(logged(events)), 2);
  expect(inputs).toEqual([[], [0], [1, 0]]);
  expect(neighbour(inputs, 2, 'ArrowUp')).toBe(1);
  expect(neighbour(inputs, 1, 'ArrowUp')).toBe(0);
  expect(neighbour(inputs, 0, 'ArrowUp')).toBeNull();
  expect(neighbour(inputs, 0, 'ArrowDown')).toBe(1);
  expect(neighbour(inputs, 0, 'ArrowRight')).toBe(1);
  expect(neighbour(inputs, 2, 'ArrowRight')).toBeNull();
});

it('the way down leads past a saved tensor to the op that takes the value', () => {
  const inputs = [[], [0], [1], [1]];
  expect(neighbour(inputs, 1, 'ArrowDown')).toBe(2);
  expect(neighbour(inputs, 1, 'ArrowDown', (index) => index === 2)).toBe(3);
  expect(neighbour([[], [0]], 0, 'ArrowDown', (index) => index === 1)).toBe(1);
});
