// Protects: functions, loops and their rounds are grounds as modules are, what rounds share is shown in each, tall ones are in columns.

import { describe, expect, it } from 'vitest';
import type { Event, OpApplied, TensorInfo } from '../../protocol/events';
import { EventLog } from '../../store/log';
import type { Item } from '../graph';
import { MirrorLayout } from '../mirror';
import { holds, overlaps } from '../rect';
import { moduleOf, Places } from './place';

const VALUE = {
  shape: [],
  dtype: 'float32',
  strides: [],
  nbytes: 4,
  min: 1,
  max: 1,
  mean: 1,
  norm: 1,
  nan_count: 0,
  inf_count: 0,
  values: [1],
};

const info = (tensor: number, leaf: boolean): TensorInfo =>
  ({ tensor, storage: tensor, version: 0, requires_grad: true, is_leaf: leaf, base: null, value: VALUE }) as never;

/** A program: `add` tells an event, `work` so many ops, `h = h * w` and `h = tanh(h)` in turn. */
function told(body: (add: (event: Record<string, unknown>) => void, work: (ops: number) => void) => void): Event[] {
  const events: Record<string, unknown>[] = [];
  const add = (event: Record<string, unknown>) => events.push({ line: 1, ...event, seq: events.length });
  const leaf = (tensor: number, name: string) => {
    add({ kind: 'tensor_created', origin: 'leaf', info: info(tensor, true) });
    add({ kind: 'tensor_named', tensor, name });
  };
  let last = 1;
  let next = 10;
  const apply = (op: string, inputs: number[]) => {
    const node = { node: next, name: `${op}Backward0`, saved: [], next_functions: inputs.map(() => null) } as never;
    const output = info(next, false);
    add({
      kind: 'op_applied',
      op,
      inputs: inputs.map((tensor, i) => ({ name: i === 0 ? 'self' : 'other', tensor, text: null })),
      outputs: [output],
      hidden: [],
      node,
      in_place: false,
      is_view: false,
      during: null,
      module_path: null,
      repeat: [],
    } satisfies Partial<OpApplied> & Record<string, unknown>);
    last = next;
    next += 1;
  };
  leaf(1, 'x');
  leaf(2, 'w');
  body(add, (ops) => {
    for (let i = 0; i < ops; i += 1) apply(i % 2 === 0 ? 'mul' : 'tanh', i % 2 === 0 ? [last, 2] : [last]);
  });
  add({ kind: 'program_finished', status: 'ok' });
  return events as never;
}

/** A program whose loop goes round so often, with so many ops in each round. */
function looped(rounds: number, ops: number): Event[] {
  return told((add, work) => {
    for (let round = 1; round <= rounds; round += 1) {
      add({ kind: 'round_started', loop: 1, outer: null, round, text: `for t in range(${rounds})` });
      work(ops);
    }
    add({ kind: 'loop_finished', loop: 1, rounds });
  });
}

/** A program that calls a function with so many ops so often, and does as many itself before. */
function called(times: number, ops: number, before: number): Event[] {
  return told((add, work) => {
    work(before);
    for (let call = 1; call <= times; call += 1) {
      add({ kind: 'function_entered', call, name: 'f', times: call });
      work(ops);
      add({ kind: 'function_left', call });
    }
  });
}

function laid(events: Event[]): MirrorLayout {
  const log = new EventLog();
  const layout = new MirrorLayout(log);
  log.append(events);
  return layout;
}

const boxOf = (item: Item) => ({
  x: item.x - item.left,
  y: item.y,
  width: item.left + item.right,
  height: item.height,
});

describe('a loop', () => {
  it('of many ops is a ground with one for each round, right below each other', () => {
    const [chunk] = laid(looped(4, 6)).chunks;
    expect(chunk!.frames.map(({ name, depth }) => [name, depth])).toEqual([
      ['for t in range(4)', 0],
      ...[1, 2, 3, 4].map((round) => [`round ${round}`, 1]),
    ]);
    const rounds = chunk!.frames.filter(({ place }) => place.kind === 'round').map(({ rect }) => rect);
    const middles = rounds.map(({ x, width }) => x + width / 2);
    for (const middle of middles.slice(1)) expect(middle).toBeCloseTo(middles[1]!);
    rounds.slice(1).forEach((rect, i) => {
      expect(rect.y).toBeGreaterThan(rounds[i]!.y + rounds[i]!.height);
    });
  });

  it('of few ops, or with one round, has none', () => {
    expect(laid(looped(3, 2)).chunks[0]!.frames).toEqual([]);
    expect(laid(looped(1, 40)).chunks[0]!.frames).toEqual([]);
  });

  it('shows in each round what all rounds use', () => {
    const [chunk] = laid(looped(5, 6)).chunks;
    const rounds = chunk!.frames.filter(({ place }) => place.kind === 'round');
    for (const round of rounds) {
      const cards = round.items.filter(({ kind, text }) => kind !== 'op' && text === 'w');
      expect(cards).toHaveLength(1);
      expect(holds(round.rect, cards[0]!.x, cards[0]!.y)).toBe(true);
    }
  });

  it('that is long stands in columns, and no edge runs over anything on its way between them', () => {
    const [chunk] = laid(looped(60, 6)).chunks;
    const { rect } = chunk!.frames[0]!;
    expect(rect.height).toBeLessThan(rect.width * 3);
    const rounds = chunk!.frames.filter(({ place }) => place.kind === 'round');
    expect(new Set(rounds.map((round) => Math.round(round.rect.x + round.rect.width / 2))).size).toBeGreaterThan(2);
    const clash = rounds.filter((a, i) => rounds.slice(i + 1).some((b) => overlaps(a.rect, b.rect)));
    expect(clash.map(({ name }) => name)).toEqual([]);
    const through: string[] = [];
    for (const { points, from, to } of chunk!.links) {
      for (const item of chunk!.items) {
        if (item === from || item === to) continue;
        const { x, y, width, height } = boxOf(item);
        for (let i = 0; i < points.length; i += 2) {
          const [px, py] = [points[i]!, points[i + 1]!];
          if (px > x + 2 && px < x + width && py > y + 1 && py < y + height - 1)
            through.push(`${to.text}/${item.text}`);
        }
      }
    }
    expect(through).toEqual([]);
  });
});

describe('a function', () => {
  const grounds = (events: Event[]) =>
    laid(events).chunks.flatMap(({ frames }) => frames.map(({ name, detail }) => `${name} ${detail}`.trim()));

  it('is a ground for each of its calls, with the ops of that call', () => {
    const [chunk] = laid(called(2, 4, 2)).chunks;
    expect(chunk!.frames.map(({ name, detail }) => [name, detail])).toEqual([
      ['f()', ''],
      ['f()', 'call 2'],
    ]);
    for (const frame of chunk!.frames) expect(frame.items.filter(({ kind }) => kind === 'op')).toHaveLength(4);
    expect(overlaps(chunk!.frames[0]!.rect, chunk!.frames[1]!.rect)).toBe(false);
  });

  it('has none where it does little, or all that there is', () => {
    expect(grounds(called(3, 2, 4))).toEqual([]);
    expect(grounds(called(1, 6, 0))).toEqual([]);
  });

  it('has none where all of it is one call inside', () => {
    const events = told((add, work) => {
      work(2);
      add({ kind: 'function_entered', call: 1, name: 'outer', times: 1 });
      add({ kind: 'function_entered', call: 2, name: 'inner', times: 1 });
      work(4);
      add({ kind: 'function_left', call: 2 });
      add({ kind: 'function_left', call: 1 });
    });
    expect(grounds(events)).toEqual(['inner()']);
  });
});

describe('places', () => {
  it('of functions end with their call, with the module that they run in, and not for one that is not under way', () => {
    const places = new Places();
    const take = (event: object) => places.add(event as Event);
    const call = (number: number) => ({ kind: 'function_entered', seq: 0, call: number, name: 'f', times: number });
    take(call(1));
    take(call(2));
    take({ kind: 'function_left', seq: 0, call: 7 });
    expect(places.now).toMatchObject({ kind: 'function', event: { call: 2 } });
    take({ kind: 'function_left', seq: 0, call: 2 });
    expect(places.now).toMatchObject({ kind: 'function', event: { call: 1 }, outer: null });
    take(entered(1));
    take(call(3));
    take({ kind: 'module_left', seq: 0, call: 1 });
    take({ kind: 'function_left', seq: 0, call: 3 });
    expect(places.now).toMatchObject({ event: { call: 1 }, kind: 'function' });
  });

  const entered = (call: number) => ({ kind: 'module_entered', seq: 0, call, module: 1, path: `m${call}`, times: 1 });
  const round = (loop: number, number: number) => ({ kind: 'round_started', seq: 0, loop, round: number, text: 'for' });

  it('lie inside one another, and a loop ends with the module that it runs in', () => {
    const places = new Places();
    const take = (event: object) => places.add(event as Event);
    take(entered(1));
    take(round(1, 1));
    take(entered(2));
    expect(moduleOf(places.now)?.event.call).toBe(2);
    expect(places.now?.outer?.kind).toBe('round');
    take({ kind: 'module_left', seq: 0, call: 2 });
    take(round(1, 2));
    expect(places.now).toMatchObject({ kind: 'round', event: { round: 2 }, outer: { kind: 'loop' } });
    take({ kind: 'module_left', seq: 0, call: 1 });
    expect(places.now).toBeNull();
  });
});
