// Protects: a module, function or loop is drawn open where the boxes in it have room for their names, and closed where
// one box would fill it.

import { describe, expect, it } from 'vitest';
import type { Area } from '../../layout/area';
import type { Frame } from '../../layout/frame';
import { opens } from './opening';

function area(height: number, areas: Area[] = [], { width = 10_000, ops = 1, short = 'cell' } = {}): Area {
  const rect = { x: 0, y: 0, width, height };
  return { rect, frame: { short } as Frame, seq: 0, items: [], links: [], areas, ops, wanted: [] };
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

  it('stays closed where boxes with most of its ops would be too slim for their names', () => {
    const flat = (ops: number) => area(300, [], { ops });
    expect(
      opens(
        area(
          6000,
          Array.from({ length: 16 }, () => flat(10)),
        ),
        SCALE,
      ),
    ).toBe(false);
    expect(opens(area(6000, [area(2000, [], { ops: 96 }), flat(4)]), SCALE)).toBe(true);
    expect(opens(area(6000, [area(2000, [], { ops: 50 }), flat(50)]), SCALE)).toBe(false);
    const narrow = (short: string) => area(3000, [], { width: 600, short });
    expect(opens(area(6000, [narrow('12'), narrow('13')]), SCALE)).toBe(true);
    expect(opens(area(6000, [narrow('attention'), narrow('attention')]), SCALE)).toBe(false);
  });

  it('that is all of a pass opens with boxes of any size', () => {
    const whole = () => area(6000, [area(100), area(100)]);
    expect(opens(whole(), SCALE, true)).toBe(true);
    expect(opens(whole(), SCALE)).toBe(false);
  });
});
