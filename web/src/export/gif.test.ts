// Protects: pictures that change little are small.

import { describe, expect, it } from 'vitest';
import { GifWriter, paletteOf } from './gif';

describe('an animation', () => {
  it('stores what changed', async () => {
    const first = new Uint8ClampedArray(64 * 64 * 4).map((_, i) => (i * 37) % 256);
    const second = first.slice();
    second.set([255, 0, 0, 255], 4 * (64 * 10 + 20));
    const palette = paletteOf([first, second]);
    const size = async (pictures: Uint8ClampedArray[]) => {
      const gif = new GifWriter(64, 64, palette);
      for (const picture of pictures) gif.add(picture, 50);
      return gif.end().size;
    };
    expect((await size([first, second])) - (await size([first]))).toBeLessThan(200);
  });
});
