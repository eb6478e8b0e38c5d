// Protects: over what the reader folded there are no numbers and no pulses of the edges that go on below it.

import { describe, expect, it, vi } from 'vitest';
import type { BlockPart, EdgePart } from '../../scene/parts/parts';
import { ARRIVED } from '../motion';
import type { Pen } from '../pen';
import { drawEdgeLabel, drawPulse } from './edge';

const edge = {
  link: { points: new Float32Array([0, 0, 0, 100]), labelled: true, labelX: 0, labelY: 80, value: true },
  gradient: { text: '1.5', bad: false },
  sending: true,
  tracked: true,
} as unknown as EdgePart;
const closed = [{ rect: { x: -50, y: 50, width: 100, height: 100 } }] as unknown as BlockPart[];

function pen() {
  const label = vi.fn();
  const arc = vi.fn();
  const text = vi.fn();
  const own = { showsText: true, tokens: {}, ctx: { beginPath() {}, arc }, label, text, fill() {}, stroke() {} };
  return { label, text, arc, pen: own as unknown as Pen };
}

describe('an edge below a block', () => {
  it('has its number where the block is open', () => {
    const one = pen();
    drawEdgeLabel(one.pen, edge, ARRIVED, closed);
    expect(one.label).not.toHaveBeenCalled();
    drawEdgeLabel(one.pen, edge, ARRIVED, []);
    expect(one.label).toHaveBeenCalledOnce();
  });

  it('has a pulse up to the rim', () => {
    const one = pen();
    // A gradient goes from the end of the edge to its beginning.
    drawPulse(one.pen, edge, { ...ARRIVED, travel: 0.25 }, false, closed);
    expect(one.arc).not.toHaveBeenCalled();
    expect(one.text).not.toHaveBeenCalled();
    drawPulse(one.pen, edge, { ...ARRIVED, travel: 0.75 }, false, closed);
    expect(one.arc).toHaveBeenCalledOnce();
    expect(one.text.mock.calls[0]![0]).toBe('1.5');
  });
});
