// Protects: a place opens where what is inside it can be told apart, and not for one block that fills it.

import { describe, expect, it } from 'vitest';
import type { Area } from '../layout/area';
import type { Frame } from '../layout/frame';
import { opens } from './frames';

function area(height: number, areas: Area[] = []): Area {
  const rect = { x: 0, y: 0, width: 10_000, height };
  return { rect, frame: {} as Frame, seq: 0, items: [], links: [], areas, ops: 1, wanted: [] };
}

const SCALE = 0.05;
const row = () => area(900);

describe('a place', () => {
  it('opens for several places that each have room', () => {
    expect(opens(area(2000, [row(), row()]), SCALE)).toBe(true);
  });

  it('stays closed where it is small, or has nothing but ops', () => {
    expect(opens(area(900, [area(400), area(400)]), SCALE)).toBe(false);
    expect(opens(area(9000), SCALE)).toBe(false);
  });

  it('stays closed for one place that fills it, until that one opens too', () => {
    const inner = area(2000, [row(), row()]);
    expect(opens(area(2100, [area(2000)]), SCALE)).toBe(false);
    expect(opens(area(2100, [inner]), SCALE)).toBe(true);
  });

  it('opens for one place that is a small part of it', () => {
    expect(opens(area(4000, [area(1000)]), SCALE)).toBe(true);
  });

  it('opens where ops can be seen', () => {
    expect(opens(area(100), 0.2)).toBe(true);
  });
});
