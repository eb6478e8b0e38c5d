// Protects: there is a map of what is too large to be read, only while part of it is out of view, it keeps its proportions, and it covers nothing
// where there is a free corner.

import { describe, expect, it } from 'vitest';
import { clearSpot, isWorthAMap, mapSize, wholeOf } from './minimap';

const VIEW = { width: 800, height: 600 };
const LARGE = { x: 0, y: 0, width: 4000, height: 9000 };

describe('the map', () => {
  it('is where it covers nothing, in another corner or smaller', () => {
    const now = { corner: 'bottom-left', share: 1 } as const;
    const below = { x: 20, y: 560, width: 20, height: 20 };
    const above = { x: 20, y: 20, width: 20, height: 20 };
    const right = { x: 760, y: 120, width: 20, height: 20 };
    expect(clearSpot(LARGE, VIEW, [], now)).toEqual(now);
    expect(clearSpot(LARGE, VIEW, [below], now)).toEqual({ corner: 'top-left', share: 1 });
    expect(clearSpot(LARGE, VIEW, [below, above], now)).toEqual({ corner: 'top-right', share: 1 });
    expect(clearSpot(LARGE, VIEW, [below, above, right], now)).toEqual({ corner: 'top-right', share: 0.75 });
    expect(clearSpot(LARGE, VIEW, [below, above, { ...right, y: 20 }], now)).toEqual(now);
  });

  it('is there for a part of a large graph', () => {
    expect(isWorthAMap(LARGE, { x: 100, y: 100, width: 800, height: 600 }, VIEW)).toBe(true);
    expect(isWorthAMap(LARGE, { x: 0, y: 0, width: 12_000, height: 9000 }, VIEW)).toBe(false);
  });

  it('is not there while all that is drawn is seen as boxes', () => {
    const seen = { x: 0, y: 0, width: 5000, height: 5000 };
    expect(isWorthAMap(LARGE, seen, VIEW)).toBe(true);
    expect(isWorthAMap(LARGE, seen, VIEW, { ...LARGE, height: 4900 })).toBe(false);
    expect(isWorthAMap(LARGE, seen, VIEW, LARGE)).toBe(true);
  });

  it('is not there for what can be read as a whole', () => {
    expect(isWorthAMap({ x: 0, y: 0, width: 900, height: 700 }, { x: 400, y: 0, width: 800, height: 600 }, VIEW)).toBe(
      false,
    );
  });

  it('keeps its proportions in the room that it has', () => {
    const { width, height, scale } = mapSize(LARGE);
    expect(width / height).toBeCloseTo(4000 / 9000);
    expect(height).toBeLessThanOrEqual(136);
    expect(width).toBeCloseTo(4000 * scale);
    expect(mapSize({ ...LARGE, width: 50 }).width).toBeGreaterThanOrEqual(24);
  });

  it('shows what has begun', () => {
    const rect = { x: 0, y: 0, width: 100, height: 100 };
    const chunks = [
      { first: 0, rect },
      { first: 50, rect: { ...rect, x: 500 } },
    ];
    expect(wholeOf(chunks, -1)).toBeNull();
    expect(wholeOf(chunks, 10)?.width).toBeLessThan(300);
    expect(wholeOf(chunks, 60)?.width).toBeGreaterThan(600);
  });
});
