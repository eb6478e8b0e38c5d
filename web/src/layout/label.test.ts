// Protects: ops with several results, or many saved tensors, are narrow enough for a phone and lay no text over another.

import { expect, it } from 'vitest';
import type { SavedTensor, Summary } from '../protocol/events';
import { newItem } from './graph';
import { type Knowledge, label } from './label';
import { BUS_GRADIENT_CHARS, LABEL_GAP, LANE, nodeText, SMALL, width } from './size';

/** The width that a phone shows at the scale at which texts have 10 pixels. */
const PHONE = (390 * 12) / 10;
const value = {
  shape: [1, 8],
  dtype: 'float32',
  values: [],
  nan_count: 0,
  inf_count: 0,
  norm: 1,
} as unknown as Summary;
const known: Knowledge = {
  name: () => null,
  value: () => value,
  origin: () => 'op',
  version: () => 0,
  mayChange: () => false,
  hasTangent: () => false,
  packed: () => null,
  mode: () => 'grad',
  hooksOfNode: () => [],
  hooksOfTensor: () => [],
};

it.each([2, 3, 4])('%i results of an op fit a phone, their texts clear of each other and of the lines', (count) => {
  const item = newItem('op', 0, 1);
  item.node = 7;
  item.nodeName = 'UnsafeSplitBackward0';
  item.text = 'unsafe split';
  item.outputs = Array.from({ length: count }, (_, tensor) => ({
    tensor,
    x: 0,
    spread: 0,
    uses: 0,
    chars: 0,
    drop: 0,
  }));
  label(item, known, 'slim');
  expect(item.left + item.right).toBeLessThan(PHONE);
  const texts = item.outputs.map(({ x, chars }) => {
    const gap = LANE + LABEL_GAP;
    return { name: x - gap - width(chars, SMALL), gradient: x + gap + width(BUS_GRADIENT_CHARS, SMALL), x };
  });
  for (const [i, { name, x }] of texts.entries()) {
    if (i > 0) expect(name).toBeGreaterThan(texts[i - 1]!.x + LANE);
    if (i > 0) expect(texts[i - 1]!.gradient).toBeLessThan(x - LANE);
  }
  expect(new Set(item.outputs.map(({ drop }) => drop > 0))).toEqual(new Set([true]));
});

it.each([
  ['wide', 2],
  ['narrow', 1],
] as const)('puts many saved tensors in stacks that a %s window has room for', (breadth, stacks) => {
  const item = newItem('op', 0, 1);
  item.node = 7;
  item.nodeName = 'NativeBatchNormBackward0';
  item.text = 'native batch norm';
  item.chips = Array.from({ length: 5 }, (_, i) => {
    const saved = { slot: `_saved_result${i}`, tensor: 1, nbytes: 131_072 } as SavedTensor;
    return { saved, text: '', x: 0, y: 0, width: 0 };
  });
  label(item, known, breadth);
  expect(new Set(item.chips.map(({ x }) => x)).size).toBe(stacks);
});

it('keeps the end of a long name of a node, which says that it is one', () => {
  expect(nodeText('BinaryCrossEntropyWithLogitsBackward0')).toBe('BinaryCrossEntropy…Backward0');
  expect(nodeText('MulBackward0')).toBe('MulBackward0');
});
