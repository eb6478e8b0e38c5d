// Protects: from a distance at which texts are too small, things have names that are whole or say what fits, are no larger than
// what they are on, and go where they could not be read; texts of the size of the screen cost few changes of the canvas.

import { describe, expect, it } from 'vitest';
import { Pen } from './pen';
import type { ThemeTokens } from './tokens';

function written(texts: readonly string[], wide: number, scale: number): { text: string; size: number }[] {
  const seen: { text: string; size: number }[] = [];
  const ctx = {
    font: '',
    fillText(text: string) {
      seen.push({ text, size: Number(/([\d.]+)px/.exec(this.font)![1]) });
    },
  };
  const pen = new Pen(ctx as unknown as CanvasRenderingContext2D, { mono: 'mono' } as ThemeTokens, scale);
  pen.name(texts, 0, 0, wide, 'ink');
  return seen;
}

const NAME = ['model.layers.0.weight', 'weight'];

describe('names from afar', () => {
  it('stand only where texts do not, and where they can be read', () => {
    const scales = [0.1, 0.21, 0.22, 0.3, 0.41, 0.42, 1];
    expect(scales.filter((scale) => written(NAME, 1000, scale).length > 0)).toEqual([0.22, 0.3, 0.41]);
  });

  it('are the first that fits', () => {
    expect(written(NAME, 1000, 0.4)[0]!.text).toBe('model.layers.0.weight');
    expect(written(NAME, 160, 0.4)[0]!.text).toBe('weight');
  });

  it('are cut where none fits, unless too little would be left', () => {
    expect(written(['projection_weight'], 160, 0.4)[0]!.text).toMatch(/^projec.*…$/);
    expect(written(['projection_weight'], 80, 0.4)).toEqual([]);
    expect(written(['add', 'add'], 80, 0.4)[0]!.text).toBe('add');
  });

  it('keep their size on the screen until they would be larger than what they name', () => {
    const onScreen = (scale: number) => written(['add'], 1000, scale)[0]!.size * scale;
    expect(onScreen(0.41)).toBeCloseTo(onScreen(0.36), 5);
    expect(onScreen(0.22)).toBeLessThan(onScreen(0.36));
    expect(written(['add'], 1000, 0.22)[0]!.size).toBeLessThan(40);
  });
});

describe('texts as large at every scale', () => {
  it('go to the screen and back once for all of them, and change the font as rarely', () => {
    const transforms: number[][] = [];
    const fonts: string[] = [];
    const places: unknown[] = [];
    const ctx = {
      getTransform: () => ({ a: 0.2, e: -30, f: 8 }),
      setTransform: (...all: number[]) => transforms.push(all),
      set font(font: string) {
        fonts.push(font.slice(0, 3));
      },
      fillText: (...all: unknown[]) => places.push(all),
    };
    const pen = new Pen(ctx as unknown as CanvasRenderingContext2D, { mono: 'mono' } as ThemeTokens, 0.1);
    const mark = (text: string, weight: number) => ({ text, x: 100, y: 50, colour: 'ink', weight });
    pen.marks([mark('a', 600), mark('b', 400), mark('c', 600)], 'left');
    expect(transforms).toEqual([
      [2, 0, 0, 2, -30, 8],
      [0.2, 0, 0, 0.2, -30, 8],
    ]);
    expect(fonts).toEqual(['600', '400']);
    expect(places).toEqual(['a', 'c', 'b'].map((text) => [text, 10, 5.5]));
    pen.marks([], 'left');
    expect(transforms).toHaveLength(2);
  });
});
