// Protects: in both themes text reaches 4.5:1 and marks reach 3:1 on the grounds that they are on; where the system asks for more
// contrast, 7:1 and 4.5:1.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const css = readFileSync(join(import.meta.dirname, 'tokens.css'), 'utf8');
const MEANINGS = ['forward', 'gradient', 'saved', 'second', 'error'];

/** The colours of a theme; with `contrast`, as they are where the system asks for more contrast. */
function tokens(theme: string, contrast: boolean): Map<string, string> {
  const blocks = [...css.matchAll(new RegExp(`\\[data-theme="${theme}"\\]\\s*\\{([^}]*)\\}`, 'g'))].map(
    (match) => match[1]!,
  );
  expect(blocks).toHaveLength(2);
  const text = contrast ? blocks.join('') : blocks[0]!;
  return new Map([...text.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6});/g)].map((match) => [match[1]!, match[2]!]));
}

function luminance(colour: string): number {
  const [r, g, b] = [1, 3, 5].map((start) => {
    const channel = Number.parseInt(colour.slice(start, start + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

describe.each([
  { theme: 'light', more: false, text: 4.5, mark: 3 },
  { theme: 'dark', more: false, text: 4.5, mark: 3 },
  { theme: 'light', more: true, text: 7, mark: 4.5 },
  { theme: 'dark', more: true, text: 7, mark: 4.5 },
])('the $theme theme, more contrast: $more', ({ theme, more, text, mark }) => {
  const all = tokens(theme, more);
  const pairs = (names: [string, string][]) => names.map(([ink, ground]) => ({ ink, ground }));

  it.each(
    pairs([
      ...['paper', 'paper-raised', 'paper-sunken', 'hover', 'group'].map((g): [string, string] => ['ink', g]),
      ...['paper', 'paper-raised', 'paper-sunken'].map((g): [string, string] => ['muted', g]),
      ...MEANINGS.flatMap((m): [string, string][] => [
        [`${m}-ink`, 'paper'],
        [`${m}-ink`, `${m}-soft`],
        ['ink', `${m}-soft`],
      ]),
      ['on-gradient', 'gradient-fill'],
      ['code-string', 'paper'],
      ['code-number', 'paper'],
      ['code-comment', 'paper'],
    ]),
  )('shows $ink as text on $ground', ({ ink, ground }) => {
    expect(contrast(all.get(ink)!, all.get(ground)!)).toBeGreaterThanOrEqual(text);
  });

  it.each(
    pairs([
      ...MEANINGS.map((m): [string, string] => [m, 'paper']),
      ['faint', 'paper'],
      ['focus', 'paper'],
      ['focus', 'paper-raised'],
    ]),
  )('shows $ink as a mark on $ground', ({ ink, ground }) => {
    expect(contrast(all.get(ink)!, all.get(ground)!)).toBeGreaterThanOrEqual(mark);
  });
});
