// Protects: there is a map of what is too large to be read, only while part of it is out of view, and it keeps its proportions.

import { describe, expect, it } from 'vitest';
import { isWorthAMap, mapSize, wholeOf } from './minimap';

const VIEW = { width: 800, height: 600 };
const LARGE = { x: 0, y: 0, width: 4000, height: 9000 };

describe('the map', () => {
  it('is there for a part of a large graph', () => {
    expect(isWorthAMap(LARGE, { x: 100, y: 100, width: 800, height: 600 }, VIEW)).toBe(true);
    expect(isWorthAMap(LARGE, { x: 0, y: 0, width: 12_000, height: 9000 }, VIEW)).toBe(false);
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
