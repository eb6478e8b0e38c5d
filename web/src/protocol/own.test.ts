// Protects: a name that every object of JavaScript has is a name like any other, whoever looks it up.

import { describe, expect, it, test } from 'vitest';
import { sentence } from '../caption/caption';
import { inputName } from '../caption/effect';
import { symbolOf } from '../layout/symbol';
import { outline } from '../scene/outline';
import { buildScene } from '../scene/scene';
import { opened } from '../scene/walks';
import { notAnEvent } from '../trace/check';
import type { Event, OpApplied } from './events';
import { goldens } from './goldens';
import { own } from './own';

const NAMES = ['constructor', 'toString', '__proto__', 'hasOwnProperty', 'valueOf', 'toString_', '__constructor__'];

/** What the program calls: its variables, ops, classes, modules, functions, hooks and what they hold. */
const NAMED = new Set(['name', 'op', 'path', 'module_path', 'hook', 'function', 'type', 'holder', 'optimizer', 'text']);

/** The same event with every name of the program's replaced by this one. */
function renamed(value: unknown, name: string, field = ''): unknown {
  if (typeof value === 'string') return NAMED.has(field) && value !== '' ? name : value;
  if (Array.isArray(value)) return value.map((item) => renamed(item, name, field));
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).map(([key, item]) => [key, renamed(item, name, key)]);
  if (field === 'attributes' || field === 'state' || field === 'options') {
    return JSON.parse(`{${JSON.stringify(name)}: ${JSON.stringify(Object.values(value)[0] ?? 'x')}}`);
  }
  return Object.fromEntries(entries);
}

test.each(NAMES)('%s is in no table that does not have it', (name) => {
  expect(own({ add: 1 }, name)).toBeUndefined();
  expect(own(JSON.parse(`{${JSON.stringify(name)}: 1}`), name)).toBe(1);
  expect(typeof symbolOf(name)).toBe('string');
  const event = { inputs: [{ name, tensor: null, text: '3' }] } as unknown as OpApplied;
  expect(inputName(event, 0, {})).toBeNull();
  expect(notAnEvent({ kind: name, seq: 0, line: null })).not.toBeNull();
});

/** Looked up by keys of the keyboard, and by words of the page's own. */
const ALLOWED = new Set([
  'SIGNS[key]',
  'DIRECTIONS[event.key]',
  'moves[event.key]',
  'keys[event.key]',
  'parts[part]',
  'ALIGNED[this.textAlign]',
]);

const PROGRAMS = new Map(goldens());

describe.each(NAMES)('a program whose names are all %s', (name) => {
  it.each(['17_mlp', '23_custom_function', '22_module_hooks', '42_optimizer_step', 'program_error', 'in_place'])(
    'is shown: %s',
    (program) => {
      const events = PROGRAMS.get(program)!.map((event) => renamed(event, name) as Event);
      expect(events.map(notAnEvent).filter((reason) => reason !== null)).toEqual([]);
      const { log, timeline, layout } = opened(events);
      const stride = 1 + Math.floor(timeline.moments.length / 20);
      for (let at = 0; at < timeline.moments.length; at += stride) {
        const state = timeline.stateAt(at);
        const scene = buildScene(state, layout, { selection: null, hover: null });
        scene.visible(scene.bounds);
        const said = [sentence(state, timeline.moments[at]!, log), ...outline(scene).map((entry) => entry.label)];
        expect(said.filter((text) => /\[native code\]|\[object|undefined/.test(text))).toEqual([]);
      }
    },
  );
});

test('texts of the program are looked up by own(), Object.hasOwn or in a Map', () => {
  const sources = import.meta.glob<string>(['../**/*.svelte', '../**/*.ts', '!../**/*.test.ts', '!./own.ts'], {
    eager: true,
    query: '?raw',
    import: 'default',
  });
  const found: string[] = [];
  for (const [path, source] of Object.entries(sources)) {
    for (const [, table] of source.matchAll(/\bconst (\w+): (?:Readonly<)?Record<string, /g)) {
      for (const [lookup, key] of source.matchAll(new RegExp(`\\b${table}\\[([^\\]]+)\\]`, 'g'))) {
        const checked = source.includes(`Object.hasOwn(${table}, ${key})`);
        if (!checked && !ALLOWED.has(lookup)) found.push(`${path}: ${lookup}`);
      }
    }
  }
  expect(found).toEqual([]);
});
