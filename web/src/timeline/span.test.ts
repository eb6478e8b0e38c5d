// Protects: a place on the track is the moment drawn there at every zoom, and the track never shows what is not in the run.

import { describe, expect, it } from 'vitest';
import { cursorAt, cursorX, following, memoryColumns, mostMemory, panned, wholeSpan, zoomed } from './span';

describe('the span of the timeline', () => {
  it('finds the cursor under a place', () => {
    const span = wholeSpan(6);
    for (let cursor = -1; cursor < 6; cursor += 1) expect(cursorAt(cursorX(cursor, span, 300), span, 300)).toBe(cursor);
    expect(cursorAt(-40, span, 300)).toBe(-1);
    expect(cursorAt(900, span, 300)).toBe(5);
    expect(cursorX(-1, wholeSpan(0), 300)).toBe(0);
  });

  it('keeps what is under the pointer there while it zooms', () => {
    const span = zoomed(null, 4, 3000, 10_000)!;
    expect(span.to - span.from).toBe(2500);
    expect(cursorX(2999, span, 1000)).toBeCloseTo(300);
    expect(cursorAt(300, span, 1000)).toBe(2999);
    expect(zoomed(span, 1 / 8, 3000, 10_000)).toBeNull();
  });

  it('stays within the run and does not zoom in for ever', () => {
    const span = zoomed(null, 1e9, 0, 1000)!;
    expect(span).toEqual({ from: 0, to: 12 });
    expect(panned(span, -50, 1000)).toEqual(span);
    expect(panned(span, 5000, 1000)).toEqual({ from: 988, to: 1000 });
    expect(panned(null, 5, 1000)).toBeNull();
    expect(zoomed(null, 4, 2, 5)).toBeNull();
  });

  it('follows the cursor as little as shows it', () => {
    const span = { from: 100, to: 200 };
    expect(following(span, 150, 1000)).toBe(span);
    const after = following(span, 300, 1000)!;
    expect(after.to).toBeGreaterThan(301);
    expect(after.from).toBeLessThan(301);
    expect(after.to - after.from).toBe(100);
    expect(following(span, -1, 1000)).toEqual({ from: 0, to: 100 });
    expect(following(span, 999, 1000)).toEqual({ from: 900, to: 1000 });
    expect(following(null, 5, 10)).toBeNull();
  });

  it('squeezes memory into columns without losing a peak', () => {
    const values = new Float64Array(100_000).fill(2);
    values[77_777] = 90;
    const memory = { values, saved: [], gradients: [] };
    const all = memoryColumns(memory, wholeSpan(100_000), 100_000, 800);
    expect(all.count).toBe(800);
    expect(Math.max(...Array.from(all.values))).toBe(90);
    expect(all.step * all.count).toBeCloseTo(800);
    const part = memoryColumns(memory, { from: 10.5, to: 20.5 }, 100_000, 800);
    expect(part.count).toBe(11);
    expect(part.left).toBeCloseTo(-40);
    expect(part.step).toBeCloseTo(80);
    const begun = memoryColumns(memory, wholeSpan(100_000), 100_000, 800, 50_050);
    expect(begun.count).toBe(800);
    const drawn = Array.from(begun.values);
    expect(drawn.slice(0, 401)).toEqual(Array(401).fill(2));
    expect(Math.max(...drawn.slice(401))).toBe(0);
    expect(mostMemory(memory, 100_000)).toBe(90);
    expect(mostMemory({ values: [], saved: [], gradients: [] }, 0)).toBe(1);
  });
});
