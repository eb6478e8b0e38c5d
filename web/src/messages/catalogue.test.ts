// Protects: every text that the page shows is in the catalogue, where it can be found, changed and translated.

import { expect, test } from 'vitest';
import { literalsOfComponent, literalsOfModule } from './literals';

const SOURCES = import.meta.glob<string>(['../**/*.svelte', '../**/*.ts', '!../**/*.test.ts'], {
  eager: true,
  query: '?raw',
  import: 'default',
});

/** What has texts of its own: the catalogue, what is generated, captions that go by words of the protocol, and the entry, before which nothing is shown. */
const APART =
  /^\.\/|^\.\.\/protocol\/(events|sentences|steps)\.ts$|^\.\.\/caption\/(effect|hook-sentences)\.ts$|^\.\.\/main\.ts$/;

test.each(Object.entries(SOURCES).filter(([path]) => !APART.test(path)))(
  '%s takes its texts from the catalogue',
  (path, source) => {
    const found = path.endsWith('.svelte') ? literalsOfComponent(source) : literalsOfModule(source);
    expect(found).toEqual([]);
  },
);

test('a text in markup, in an attribute, in an expression and in a script is found', () => {
  const source = `<script lang="ts">
const { on }: { on: boolean } = $props();
const told = 'Nothing ran so far.';
</script>
<p class="plain words" title={on ? 'Stop' : told}>Run <b>{told}</b> {on ? 'now' : ''}</p>`;
  expect(literalsOfComponent(source)).toEqual([
    { line: 3, text: 'Nothing ran so far.' },
    { line: 5, text: 'Stop' },
    { line: 5, text: 'Run' },
    { line: 5, text: 'now' },
  ]);
});

test('a sentence in a module is found, whether it has numbers in it or not; words that are compared are not texts', () => {
  expect(literalsOfModule("const a = 'It is over.';\nconst b = `after $" + '{a} more steps`;')).toEqual([
    { line: 1, text: 'It is over.' },
    { line: 2, text: 'more steps' },
  ]);
  expect(literalsOfModule("import a from 'a b';\nconst b = a === 'node post';\nconst c = 'single';")).toEqual([]);
  expect(literalsOfModule("const a = b.startsWith('module forward');\nconst c = b.concat('All is over');")).toEqual([
    { line: 2, text: 'All is over' },
  ]);
});

const MESSAGES = Object.entries(SOURCES).filter(
  ([path]) => /^\.\/([a-z]+\/)?[a-z]+\.ts$/.test(path) && path !== './literals.ts',
);

test.each(MESSAGES)('%s holds texts that are shown, under names that say what for', (path, source) => {
  const others = Object.entries(SOURCES).filter(([other]) => other !== path);
  const names = [...source.matchAll(/export const (\w+)([^;]*);/g)].map(([, name, text]) => ({
    name: name!,
    text: text!,
  }));
  const word = (name: string) => new RegExp(`\\b${name}\\b`, 'g');
  const unused = names.filter(
    ({ name }) => source.match(word(name))!.length === 1 && !others.some(([, text]) => word(name).test(text)),
  );
  // A name that is the first words of a longer sentence says how that begins, not what it is for.
  const begun = names.filter(({ name, text }) => {
    const letters = text
      .replace(/^[^'`"]*['`"]/, '')
      .replace(/\$\{[^}]*\}|[^A-Za-z]/g, '')
      .toLowerCase();
    const words = name.split(/(?=[A-Z])/).length;
    return words >= 4 && letters.length > name.length && letters.startsWith(name.toLowerCase());
  });
  expect({ unused, begun }).toEqual({ unused: [], begun: [] });
});
