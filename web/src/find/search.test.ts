// Protects: of real runs, the search finds what is on the stage by every filter, and its work is in slices that can be ended.

import { describe, expect, it } from 'vitest';
import { MirrorLayout } from '../layout/mirror';
import type { Event } from '../protocol/events';
import { goldens } from '../protocol/goldens';
import { EventLog } from '../store/log';
import { Timeline } from '../timeline/timeline';
import type { Row } from './catalogue';
import { Catalogue } from './catalogue';
import { type Filter, keyOfFilter, readFilter, toggled } from './filter';
import { choices } from './filtered';
import { Query } from './query';
import { count, search } from './search';
import { inSlices } from './work-slices';

const recorded = new Map(goldens());

function run(name: string) {
  const log = new EventLog();
  const timeline = new Timeline(log);
  const layout = new MirrorLayout(log);
  log.append(recorded.get(name)!);
  return { log, timeline, catalogue: new Catalogue(layout, timeline.history), end: log.length - 1 };
}

function ended<T>(work: Generator<void, T>): T {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

function found({ catalogue, end }: ReturnType<typeof run>, text: string, filters: Filter[] = [], seq = end): Row[] {
  return ended(search(catalogue, new Query(text), filters, seq));
}

describe('search', () => {
  it('has one row for each thing on the stage, in the order of the program', () => {
    for (const name of recorded.keys()) {
      const one = run(name);
      found(one, '');
      const placed = one.catalogue.layout.items.filter(({ kind }) => kind !== 'again');
      expect(
        one.catalogue.rows.map(({ item }) => item),
        name,
      ).toEqual(placed);
    }
  });

  it('finds ops, nodes, parameters and modules of a model', () => {
    const one = run('training');
    const linear = found(one, 'AddmmBackward0');
    expect(linear.length).toBeGreaterThan(0);
    expect(linear.every(({ grad }) => grad === 'AddmmBackward0')).toBe(true);
    const [first] = linear;
    expect(found(one, `#${first!.node}`)).toEqual([first]);
    const accumulators = found(one, 'accumulategrad');
    expect(accumulators.length).toBeGreaterThan(0);
    expect(accumulators.every(({ item }) => item.kind === 'leaf' && item.requiresGrad)).toBe(true);
    const { modules } = choices(one.timeline.history);
    expect(modules.length).toBeGreaterThan(0);
    for (const path of modules) {
      const inside = found(one, '', [{ kind: 'module', path }]);
      expect(inside.length, path).toBeGreaterThan(0);
      for (const row of inside) expect(row.module.startsWith(path) || row.item.kind !== 'op', path).toBe(true);
    }
  });

  it('tells what is held from what is freed at each step', () => {
    const one = run('training');
    const freed = [...one.log].find(({ kind }) => kind === 'buffer_freed')!;
    const node = 'node' in freed ? freed.node : null;
    const has = (filter: Filter, seq: number) => found(one, '', [filter], seq).some((row) => row.node === node);
    expect(has({ kind: 'held' }, freed.seq - 1)).toBe(true);
    expect(has({ kind: 'freed' }, freed.seq - 1)).toBe(false);
    expect(has({ kind: 'freed' }, freed.seq)).toBe(true);
  });

  it('finds NaN from the step on at which it is there', () => {
    const one = run('28_where_nan');
    expect(found(one, '', [{ kind: 'nan' }], 0)).toEqual([]);
    expect(found(one, '', [{ kind: 'nan' }]).length).toBeGreaterThan(0);
  });

  it('finds the parameters that nothing reached, and none before there was a pass', () => {
    const one = run('31_grad_none');
    const rows = found(one, '', [{ kind: 'unreached' }]);
    const counts = ended(count(one.catalogue, [{ kind: 'unreached' }, { kind: 'nan' }], one.end));
    expect(counts.get('nan')).toBe(0);
    expect(rows.length).toBeGreaterThan(0);
    expect(counts.get('unreached')).toBe(rows.length);
    const reached = new Set([...one.log].flatMap((event) => (event.kind === 'grad_accumulated' ? [event.tensor] : [])));
    for (const { item } of rows) expect(reached.has(item.tensor)).toBe(false);
    expect(found(run('02_no_backward'), '', [{ kind: 'unreached' }])).toEqual([]);
  });

  it('divides what ran by backward passes', () => {
    const one = run('training');
    const { passes } = choices(one.timeline.history);
    expect(passes.length).toBeGreaterThan(1);
    for (const { call } of passes) {
      const ran = new Set(
        [...one.log].flatMap((event) => (event.kind === 'node_started' && event.call === call ? [event.node] : [])),
      );
      const rows = found(one, '', [{ kind: 'pass', call }]);
      const ops = rows.filter(({ item }) => item.kind === 'op');
      expect(ops.length).toBeGreaterThan(0);
      for (const { node } of ops) expect(ran.has(node!)).toBe(true);
      expect(rows.some(({ item }) => item.kind === 'leaf')).toBe(true);
    }
  });

  it('joins words and filters', () => {
    const one = run('training');
    const { modules } = choices(one.timeline.history);
    const filter: Filter = { kind: 'module', path: modules.at(-1)! };
    const both = found(one, 'backward', [filter]);
    const words = found(one, 'backward');
    const inside = found(one, '', [filter]);
    expect(both).toEqual(words.filter((row) => inside.includes(row)));
  });

  it('finds by a name what got it after it was found before', () => {
    const one = run('training');
    const [row] = found(one, 'tanh').concat(found(one, 'addmm'));
    const { tensor } = row!.item.outputs[0]!;
    expect(found(one, 'late_name')).toEqual([]);
    const named = [...one.log].find((event) => event.kind === 'tensor_named')!;
    one.log.append([{ ...named, seq: one.log.length, tensor, name: 'late_name' } as Event]);
    expect(found(one, 'late_name')).toEqual([row]);
    expect(row!.names).toContain('late_name');
  });

  it('ends when it is asked to, and tells its result otherwise', async () => {
    const one = run('large');
    const stop = new AbortController();
    stop.abort();
    const work = () => search(one.catalogue, new Query('a'), [], one.end);
    expect(await inSlices(work(), stop.signal)).toBeNull();
    expect(await inSlices(work(), new AbortController().signal)).toEqual(found(one, 'a'));
  });
});

describe('filters', () => {
  it('come back from a link, and nothing else does', () => {
    const all: Filter[] = [
      { kind: 'nan' },
      { kind: 'held' },
      { kind: 'pass', call: 7 },
      { kind: 'module', path: 'a.0' },
    ];
    for (const filter of all) expect(readFilter(keyOfFilter(filter))).toEqual(filter);
    for (const text of ['', 'nope', 'pass:x', 'module:', 'nan:1', 'constructor'])
      expect(readFilter(text), text).toBeNull();
  });

  it('take the place of what they contradict', () => {
    expect(toggled([{ kind: 'held' }, { kind: 'nan' }], { kind: 'freed' })).toEqual([
      { kind: 'nan' },
      { kind: 'freed' },
    ]);
    expect(toggled([{ kind: 'held' }], { kind: 'held' })).toEqual([]);
    expect(toggled([{ kind: 'module', path: 'a' }], { kind: 'module', path: 'b' })).toEqual([
      { kind: 'module', path: 'b' },
    ]);
  });
});
