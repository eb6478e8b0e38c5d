// Protects: edges begin and end where they should, lanes keep their distance, and shares of an edge are by length.

import { describe, expect, it } from 'vitest';
import { along, beside, course, lengthOf } from './edge-course';

const straight = course({ x: 10, top: 0, bottom: 5, turn: null }, [], { x: 10, top: 20, bottom: 30, turn: null });
const bent = course({ x: 0, top: 0, bottom: 10, turn: null }, [{ x: 50, top: 40, bottom: 50, turn: null }], {
  x: 20,
  top: 80,
  bottom: 90,
  turn: null,
});

describe('edges', () => {
  it('that run straight need two points', () => {
    expect([...straight]).toEqual([10, 0, 10, 30]);
  });

  it('join their ends through every pass', () => {
    expect([bent[0], bent[1], bent.at(-2), bent.at(-1)]).toEqual([0, 0, 20, 90]);
    const points = Array.from({ length: bent.length / 2 }, (_, i) => [bent[2 * i], bent[2 * i + 1]]);
    expect(points).toContainEqual([50, 40]);
    expect(points).toContainEqual([50, 50]);
  });

  it('have their lanes at either side', () => {
    expect([...beside(straight, 4)]).toEqual([6, 0, 6, 30]);
    expect([...beside(straight, -4)]).toEqual([14, 0, 14, 30]);
  });

  it('are measured by length', () => {
    expect(lengthOf(straight)).toBe(30);
    expect(along(straight, 0.5)).toEqual({ x: 10, y: 15 });
    expect(along(straight, 1)).toEqual({ x: 10, y: 30 });
  });
});
