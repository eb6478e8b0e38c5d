// Protects: the bands tell forward from each backward pass, and a place on the track is the moment drawn there.

import { describe, expect, it } from 'vitest';
import type { Moment } from '../timeline/moments';
import { bands, cursorAt, cursorX, marks } from './bands';

function moments(...kinds: [kind: string, phase: string][]): Moment[] {
  return kinds.map(([kind, phase], index) => ({ kind, phase, index, call: null }) as unknown as Moment);
}

const twoPasses = moments(
  ['tensor_created', 'forward'],
  ['op_applied', 'forward'],
  ['backward_started', 'backward'],
  ['node_started', 'backward'],
  ['output_printed', 'other'],
  ['backward_started', 'backward'],
);

describe('the track', () => {
  it('joins phases and numbers the passes', () => {
    expect(bands(twoPasses)).toEqual([
      { from: 0, to: 1, phase: 'forward', pass: null },
      { from: 2, to: 3, phase: 'backward', pass: 1 },
      { from: 4, to: 4, phase: 'forward', pass: null },
      { from: 5, to: 5, phase: 'backward', pass: 2 },
    ]);
  });

  it('ends a pass with the error that stopped it', () => {
    const failed = moments(['backward_started', 'backward'], ['node_started', 'backward'], ['error_raised', 'other']);
    failed[2]!.call = 1;
    expect(bands(failed)).toEqual([{ from: 0, to: 2, phase: 'backward', pass: 1 }]);
  });

  it('marks backward passes and prints', () => {
    expect(marks(twoPasses).map((mark) => mark.kind)).toEqual(['backward', 'output', 'backward']);
  });

  it('finds the cursor under a place', () => {
    for (let cursor = -1; cursor < 6; cursor += 1) expect(cursorAt(cursorX(cursor, 6, 300), 6, 300)).toBe(cursor);
    expect(cursorAt(-40, 6, 300)).toBe(-1);
    expect(cursorAt(900, 6, 300)).toBe(5);
    expect(cursorX(-1, 0, 300)).toBe(0);
  });
});
