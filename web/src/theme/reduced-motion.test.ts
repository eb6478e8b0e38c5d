// Protects readers whom motion makes sick: every transition and animation of the page ends at once where the system asks for none.

import { expect, test } from 'vitest';

const SOURCES = import.meta.glob<string>(['../**/*.svelte', '../**/*.css', '../**/*.ts', '!../**/*.test.ts'], {
  eager: true,
  query: '?raw',
  import: 'default',
});

/** Lines that move something without asking how much motion is wanted. */
function unasked(source: string): string[] {
  const moves =
    /^\s*(transition|animation)(-duration)?:|\.animate\(|behavior: 'smooth'|scroll-behavior: smooth|svelte\/(transition|motion|animate)/;
  return source.split('\n').filter((line) => moves.test(line) && !/var\(--motion\)|reducedMotion|: none;/.test(line));
}

test.each(Object.entries(SOURCES))('%s moves nothing that one cannot stop', (_path, source) => {
  expect(unasked(source)).toEqual([]);
});

test('what moves regardless is found', () => {
  expect(unasked('a {\n  transition: color 120ms;\n  animation: none;\n}')).toEqual(['  transition: color 120ms;']);
  expect(unasked("one.animate([], 200);\none.scrollIntoView({ behavior: 'smooth' });")).toHaveLength(2);
  expect(unasked('  transition: color calc(120ms * var(--motion));')).toEqual([]);
});
