// Protects: what is packed is what comes out, whatever the length and the variety, and pictures that change little are small.

import { describe, expect, it } from 'vitest';
import { GifWriter, lzw, Palette } from './gif';

/** Undoes LZW as a reader of GIF does. */
function unpacked(bytes: number[]): number[] {
  const data: number[] = [];
  for (let at = 0; bytes[at]; at += bytes[at]! + 1) data.push(...bytes.slice(at + 1, at + 1 + bytes[at]!));
  let bit = 0;
  let width = 9;
  const next = () => {
    let code = 0;
    for (let i = 0; i < width; i += 1, bit += 1) code |= ((data[bit >> 3]! >> (bit & 7)) & 1) << i;
    return code;
  };
  const fresh = () => Array.from({ length: 258 }, (_, i) => [i]);
  let table = fresh();
  const found: number[] = [];
  let before: number[] | null = null;
  for (;;) {
    const code = next();
    if (code === 257) return found;
    if (code === 256) {
      table = fresh();
      width = 9;
      before = null;
      continue;
    }
    const entry: number[] = table[code] ?? [...before!, before![0]!];
    found.push(...entry);
    if (before && table.length < 4096) table.push([...before, entry[0]!]);
    if (table.length === 1 << width && width < 12) width += 1;
    before = entry;
  }
}

describe('packed indices', () => {
  it.each([1, 2, 300, 70_000])('of %i pixels come out as they went in', (count) => {
    let seed = 7;
    const noise = Uint8Array.from({ length: count }, () => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return (seed >> 16) & 0xff;
    });
    expect(unpacked(lzw(noise))).toEqual([...noise]);
    const plain = new Uint8Array(count).fill(3);
    expect(unpacked(lzw(plain))).toEqual([...plain]);
  });
});

describe('an animation', () => {
  it('stores what changed', async () => {
    const first = new Uint8ClampedArray(64 * 64 * 4).map((_, i) => (i * 37) % 256);
    const second = first.slice();
    second.set([255, 0, 0, 255], 4 * (64 * 10 + 20));
    const palette = new Palette([first, second]);
    const size = async (pictures: Uint8ClampedArray[]) => {
      const gif = new GifWriter(64, 64, palette);
      for (const picture of pictures) gif.add(picture, 50);
      return gif.end().size;
    };
    expect((await size([first, second])) - (await size([first]))).toBeLessThan(40);
  });
});
