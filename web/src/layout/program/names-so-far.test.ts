// Protects: what a function is given stays outside of its ground, but for weights of functions that others or loops call.

import { expect, it } from 'vitest';
import { newItem } from '../graph';
import { NamesSoFar } from './names-so-far';

it('keeps the weight of a function that a loop calls with its op, and what it takes no gradient for outside', () => {
  const known = new NamesSoFar();
  const add = (seq: number, event: Record<string, unknown>) => known.add({ line: 1, ...event, seq } as never);
  const info = (tensor: number) => ({ tensor, is_leaf: true, requires_grad: tensor === 1, base: null, value: {} });
  for (const [tensor, name] of ['w', 'x'].entries()) {
    add(2 * tensor, { kind: 'tensor_created', origin: 'leaf', info: info(tensor + 1) });
    add(2 * tensor + 1, { kind: 'tensor_named', tensor: tensor + 1, name });
  }
  const weight = Object.assign(newItem('leaf', 0, 1), { requiresGrad: true });
  const data = newItem('leaf', 2, 2);
  add(4, { kind: 'function_entered', call: 1, name: 'network', times: 1 });
  expect(known.belongs(weight, known.places.now!)).toBe(false);
  add(5, { kind: 'round_started', loop: 1, outer: null, round: 1, text: 'for layer in layers' });
  add(6, { kind: 'function_entered', call: 2, name: 'block', times: 1 });
  expect(known.belongs(weight, known.places.now!)).toBe(true);
  expect(known.belongs(data, known.places.now!)).toBe(false);
});
