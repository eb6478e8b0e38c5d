// Rooms import each other in one direction, types included; what turns events into pictures and sentences needs no framework.

import { preProcessFile } from 'typescript';
import { expect, it } from 'vitest';
import README from './README.md?raw';

const SOURCES = import.meta.glob<string>(['./**/*.svelte', './**/*.ts', '!./**/*.test.ts'], {
  eager: true,
  query: '?raw',
  import: 'default',
});

/** What is built into a page: nothing below may import it. */
const FRAMES = ['shell', 'single', 'embed', '.'];
const PLAIN = [
  'protocol',
  'format',
  'store',
  'timeline',
  'layout',
  'caption',
  'scene',
  'renderer',
  'facts',
  'trace',
  'transport',
];

type Import = { from: string; to: string };

/** The room of a path below src: its first folder; `.` for the entry. */
function roomOf(path: string): string {
  const [, first, ...rest] = path.split('/');
  return rest.length > 0 ? first! : '.';
}

/** The paths, relative to src, that a file imports, by types and later too; those of packages as they are written. */
function importsOf(path: string, source: string): string[] {
  const scripts = path.endsWith('.svelte')
    ? [...source.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)].map(([, script]) => script!)
    : [source];
  // What is fetched later may be in markup.
  const later = [...source.matchAll(/\bimport\('([^']+)'\)/g)].map(([, name]) => name!);
  const written = scripts.flatMap((script) => preProcessFile(script).importedFiles.map(({ fileName }) => fileName));
  return [...written, ...later].map((name) =>
    name.startsWith('.') ? new URL(name, `file:///src/${path.slice(2)}`).pathname.replace(/^\/src\//, './') : name,
  );
}

/** The imports that lead from one room to another. */
function importsBetween(sources: Record<string, string>): Import[] {
  return Object.entries(sources).flatMap(([from, source]) =>
    importsOf(from, source)
      .filter((to) => to.startsWith('./') && roomOf(to) !== roomOf(from))
      .map((to) => ({ from, to })),
  );
}

/** A circle of rooms, each with the import that leads to the next one; empty where there is none. */
function circle(imports: readonly Import[]): string[] {
  const next = new Map<string, Import[]>();
  for (const one of imports) next.set(roomOf(one.from), [...(next.get(roomOf(one.from)) ?? []), one]);
  const done = new Set<string>();
  const walk = (room: string, way: readonly Import[]): string[] => {
    const begun = way.findIndex(({ from }) => roomOf(from) === room);
    if (begun >= 0) return way.slice(begun).map(({ from, to }) => `${from} imports ${to}`);
    if (done.has(room)) return [];
    for (const one of next.get(room) ?? []) {
      const found = walk(roomOf(one.to), [...way, one]);
      if (found.length > 0) return found;
    }
    done.add(room);
    return [];
  };
  for (const room of next.keys()) {
    const found = walk(room, []);
    if (found.length > 0) return found;
  }
  return [];
}

const IMPORTS = importsBetween(SOURCES);

it('has no circle of rooms', () => {
  expect(IMPORTS.length).toBeGreaterThan(500);
  expect(circle(IMPORTS)).toEqual([]);
});

it('has the order that the README gives', () => {
  const rows = README.split('\n').filter((line) => line.startsWith('| `'));
  const rank = new Map(
    rows.flatMap((row, at) => [...row.split('|')[1]!.matchAll(/`([a-z]+)\//g)].map(([, room]) => [room!, at])),
  );
  const rooms = new Set(Object.keys(SOURCES).map(roomOf));
  rooms.delete('.');
  expect([...rank.keys()].sort()).toEqual([...rooms].sort());
  const down = IMPORTS.filter(({ from, to }) => rank.get(roomOf(to))! > rank.get(roomOf(from))!);
  expect(down).toEqual([]);
});

it('has no folder with more than thirty sources, tests included', () => {
  const counts = new Map<string, number>();
  for (const path of Object.keys(import.meta.glob(['./**/*.svelte', './**/*.ts']))) {
    const folder = path.slice(0, path.lastIndexOf('/'));
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  expect([...counts].filter(([, count]) => count > 30)).toEqual([]);
});

it('has rooms that know nothing of the frames they are shown in', () => {
  const up = IMPORTS.filter(({ from, to }) => FRAMES.includes(roomOf(to)) && !FRAMES.includes(roomOf(from)));
  expect(up).toEqual([]);
});

it('has no framework below the rooms that are shown', () => {
  const framed = Object.entries(SOURCES)
    .filter(([path]) => PLAIN.includes(roomOf(path)))
    .flatMap(([path, source]) => importsOf(path, source).filter((name) => /^svelte(\/|$)|\.svelte(\.ts)?$/.test(name)));
  expect(framed).toEqual([]);
});

it('finds a circle by types, by what is fetched later and over several rooms', () => {
  const component = (script: string, markup = '') => `<script lang="ts">\n${script}\n</script>\n${markup}`;
  const sources = {
    './a/A.svelte': component("import type { B } from '../b/b.svelte';"),
    './b/b.svelte.ts': "import { c } from '../c/c';\nexport type B = typeof c;",
    './c/c.ts': 'export const c = 1;',
  };
  expect(circle(importsBetween(sources))).toEqual([]);
  const found = ['./a/A.svelte imports ./b/b.svelte', './b/b.svelte.ts imports ./c/c'];
  expect(circle(importsBetween({ ...sources, './c/c.ts': "export const c = () => import('../a/A.svelte');" }))).toEqual(
    [...found, './c/c.ts imports ./a/A.svelte'],
  );
  const markup = "{#await import('../a/A.svelte') then { default: A }}<A />{/await}";
  expect(
    circle(
      importsBetween({
        ...sources,
        './c/C.svelte': component('', markup),
        './b/b.svelte.ts': "import '../c/C.svelte';",
      }),
    ),
  ).toEqual([
    './a/A.svelte imports ./b/b.svelte',
    './b/b.svelte.ts imports ./c/C.svelte',
    './c/C.svelte imports ./a/A.svelte',
  ]);
});
