// Protects: a page of one file that was packed into text is unpacked as it was.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { base85 } from '../../base85';

const BOOT = readFileSync(join(import.meta.dirname, 'boot.js'), 'utf8');
const UNPACKING = /const bytes = [\s\S]*?\n {4}\}\n(?= {4}const text)/.exec(BOOT)![0];
const unpacked = new Function('packed', `${UNPACKING}; return bytes;`) as (packed: string) => Uint8Array;

it.each([0, 1, 2, 3, 4, 5, 255, 256, 1003])('%i bytes', (count) => {
  const bytes = Uint8Array.from({ length: count }, (_, i) => (i * 7919 + (i % 5) * 251) % 256);
  const text = base85(bytes);
  expect(text).not.toMatch(/[<&"'$\s]/);
  expect(Array.from(unpacked(text))).toEqual(Array.from(bytes));
});

it('keeps the lowest and the highest bytes, and takes less than base 64', () => {
  const bytes = new Uint8Array([...Array(9).fill(0), ...Array(9).fill(255)]);
  expect(Array.from(unpacked(base85(bytes)))).toEqual(Array.from(bytes));
  const page = gzipSync(BOOT);
  expect(base85(page).length).toBeLessThan(page.toString('base64').length);
});
