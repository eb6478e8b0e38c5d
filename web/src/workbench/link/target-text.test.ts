// Protects: a selection survives being written into a link, and nonsense selects nothing.

import { expect, it } from 'vitest';
import { keyOf, type Target } from '../../scene/target';
import { parseTarget } from './target-text';

const targets: Target[] = [
  { type: 'tensor', tensor: 3 },
  { type: 'node', node: 5 },
  { type: 'op', seq: 12 },
  { type: 'saved', node: 5, slot: '_saved_self' },
  { type: 'module', call: 7 },
  { type: 'edge', node: 5, inputNr: 1 },
];

it.each(targets)('reads %o back', (target) => {
  expect(parseTarget(keyOf(target))).toEqual(target);
});

it.each(['', 'node', 'node:', 'node:x', 'saved:5', 'edge:5/x', 'window:1'])('takes “%s” for nothing', (text) => {
  expect(parseTarget(text)).toBeNull();
});
