// Protects: stepping through hits goes on from where the reader is; filters for a pass or a module go with their program.

import { describe, expect, it } from 'vitest';
import type { Item } from '../layout/graph';
import type { Target } from '../scene/target';
import type { Row } from './catalogue';
import { keyOfFilter } from './filter';
import { Finder, type FindPage } from './finder.svelte';

const rows = [3, 5, 8, 9].map((node) => ({ item: { kind: 'op', node, seq: node } as Item }) as Row);

function finder(selection: Target | null) {
  const bench = { run: { seq: 100 }, selection, view: null, select: (target: Target) => (bench.selection = target) };
  const made = new Finder(bench as unknown as FindPage);
  made.take(rows);
  return made;
}

describe('a step through the hits', () => {
  it('begins after, or before, what is selected', () => {
    const forward = finder({ type: 'node', node: 5 });
    forward.step(1);
    expect(forward.at).toBe(2);
    const back = finder({ type: 'node', node: 5 });
    back.step(-1);
    expect(back.at).toBe(0);
  });

  it('begins at the first or the last where what is selected is no hit, and goes round', () => {
    for (const selection of [null, { type: 'node', node: 4 } as const]) {
      const one = finder(selection);
      one.step(-1);
      expect(one.at).toBe(3);
      one.step(1);
      expect(one.at).toBe(0);
    }
  });
});

it('waits with a step for what is being looked for', () => {
  const find = finder(null);
  find.query = 'relu';
  find.step(1);
  expect(find.at).toBe(-1);
  find.take(rows.slice(2));
  expect(find.at).toBe(0);
  find.take(rows);
  expect(find.at).toBe(2);
});

it('drops a step that waits when the reader goes on typing', () => {
  const find = finder(null);
  find.query = 're';
  find.step(1);
  find.query = 'relu';
  find.take(rows.slice(2));
  expect(find.at).toBe(-1);
});

it('leaves a program with the filters that hold for any', () => {
  const find = new Finder({} as FindPage);
  find.load(null, ['nan', 'pass:3', 'module:layers.2', 'held']);
  find.leaveProgram();
  expect(find.filters.map(keyOfFilter)).toEqual(['nan', 'held']);
});
