// Protects: putting a long trace into a page reports its progress up to the whole, and ends where it is cancelled.

import { describe, expect, it } from 'vitest';
import { fillPage } from './page';

const SLICE = 3 * 2 ** 18;
const TEMPLATE = '<title>BACKSCOPE_TITLE</title>BACKSCOPE_NONCE BACKSCOPE_ABOUT [BACKSCOPE_RECORDING]';
const about = { name: 'a <b>', fragment: '', ops: [] };

/** Node has no FileReader. */
class Reader {
  result = '';
  error = null;
  onload = () => {};
  async readAsDataURL(blob: Blob) {
    this.result = `data:;base64,${Buffer.from(await blob.arrayBuffer()).toString('base64')}`;
    this.onload();
  }
}
globalThis.FileReader ??= Reader as unknown as typeof FileReader;

describe('a page of a long trace', () => {
  const bytes = Uint8Array.from({ length: SLICE * 2 + 5 }, (_, i) => i % 251);

  it('tells what share of it is written', async () => {
    const told: number[] = [];
    const page = await fillPage(TEMPLATE, new Blob([bytes]), about, (share) => told.push(share));
    expect(told).toEqual([SLICE / bytes.length, (2 * SLICE) / bytes.length, 1]);
    const [, recording] = /\[(.*)\]/.exec(await page.text())!;
    expect(recording === Buffer.from(bytes).toString('base64')).toBe(true);
  });

  it('is not made further where it is called off', async () => {
    const stop = new AbortController();
    const told: number[] = [];
    const tell = (share: number) => {
      told.push(share);
      stop.abort();
    };
    await expect(fillPage(TEMPLATE, new Blob([bytes]), about, tell, stop.signal)).rejects.toThrow();
    expect(told).toHaveLength(1);
  });
});
