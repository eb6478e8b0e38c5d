// Protects: over what the reader folded there are no numbers and no pulses of the roads that go on below it.

import { describe, expect, it, vi } from 'vitest';
import type { BlockPart, RoadPart } from '../scene/parts';
import { drawPulse, drawRoadLabel } from './edge';
import { ARRIVED } from './motion';
import type { Pen } from './pen';

const road = {
  link: { points: new Float32Array([0, 0, 0, 100]), labelled: true, labelX: 0, labelY: 80, value: true },
  gradient: { text: '1.5', bad: false },
  sending: true,
  tracked: true,
} as unknown as RoadPart;
const closed = [{ rect: { x: -50, y: 50, width: 100, height: 100 } }] as unknown as BlockPart[];

function pen() {
  const label = vi.fn();
  const arc = vi.fn();
  const own = { showsText: true, tokens: {}, ctx: { beginPath() {}, arc }, label, fill() {}, stroke() {} };
  return { label, arc, pen: own as unknown as Pen };
}

describe('a road below a block', () => {
  it('has its number where the block is open', () => {
    const one = pen();
    drawRoadLabel(one.pen, road, ARRIVED, closed);
    expect(one.label).not.toHaveBeenCalled();
    drawRoadLabel(one.pen, road, ARRIVED, []);
    expect(one.label).toHaveBeenCalledOnce();
  });

  it('has a pulse up to the rim', () => {
    const one = pen();
    // A gradient goes from the end of the road to its beginning.
    drawPulse(one.pen, road, { ...ARRIVED, travel: 0.25 }, false, closed);
    expect(one.arc).not.toHaveBeenCalled();
    drawPulse(one.pen, road, { ...ARRIVED, travel: 0.75 }, false, closed);
    expect(one.arc).toHaveBeenCalledOnce();
  });
});
