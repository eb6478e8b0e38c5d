// Protects: what of a program is placed, where its columns and mirrors go, and what a resting stream shows.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { goldens } from '../protocol/goldens';
import { EventLog } from '../store/log';
import { MirrorLayout } from './mirror';
import { opText } from './size';
import { symbolOf } from './symbol';

const recorded = new Map(goldens());

function laid(name: string, count = Number.POSITIVE_INFINITY): MirrorLayout {
  const log = new EventLog();
  const layout = new MirrorLayout(log);
  log.append(recorded.get(name)!.slice(0, count));
  return layout;
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('the mirror', () => {
  it('puts y = w*x + b on one spine, with its leaves above their ops', () => {
    const { items } = laid('01_first_backward');
    const [mul, add] = items.filter((item) => item.kind === 'op');
    expect([mul!.text, add!.text]).toEqual(['×', '+']);
    expect(mul!.x).toBeCloseTo(add!.x);
    for (const leaf of items.filter((item) => item.kind === 'leaf')) expect(leaf.y).toBeLessThan(add!.y);
  });

  it('shows the leaves of a program that rests before its first op, and lays it out as any other', () => {
    const events = recorded.get('01_first_backward')!;
    const log = new EventLog();
    const layout = new MirrorLayout(log);
    const names = events.flatMap(({ kind, seq }) => (kind === 'tensor_named' ? [seq + 1] : []));
    let from = 0;
    for (const [to, leaves] of [
      [names[1]!, ['w']],
      [names[2]!, ['w', 'b']],
    ] as const) {
      log.append(events.slice(from, to));
      vi.advanceTimersByTime(1000);
      expect(layout.items.map(({ text }) => text)).toEqual(leaves);
      from = to;
    }
    log.append(events.slice(from));
    const places = (of: MirrorLayout) => of.items.map(({ text, x, y, id }) => ({ text, x, y, id }));
    expect(places(layout)).toEqual(places(laid('01_first_backward')));
  });

  it('gives no place to what an op computes for its formula alone', () => {
    const layout = laid('large');
    const { item, event } = layout.items.flatMap((item) =>
      item.event?.hidden.length ? [{ item, event: item.event }] : [],
    )[0]!;
    expect(item.outputs.map(({ tensor }) => tensor)).toEqual([event.outputs[0]!.tensor]);
    // What goes on from it still finds the op.
    expect(layout.itemOfTensor(event.outputs[1]!.tensor)).toBe(item);
  });

  it('makes room for hooks where they sit', () => {
    const { items } = laid('18_hooks_on_nodes');
    const [mul, pow] = items.filter((item) => item.kind === 'op');
    expect(mul!.hooks.map(({ name }) => name)).toEqual(['double']);
    const [double] = mul!.hooks;
    expect(double!.y).toBeGreaterThan(mul!.pillTop + 32);
    expect(double!.x + double!.width).toBeLessThanOrEqual(mul!.right);
    const after = pow!.hooks.find(({ hung }) => hung.where === 'node post')!;
    expect(after.x).toBeGreaterThan(pow!.chips.at(-1)!.x + pow!.chips.at(-1)!.width);
    const leaf = items.find((item) => item.text === 'x')!;
    expect(leaf.hooks.map(({ name }) => name)).toEqual(['hook after .grad', 'hook']);
  });

  it('shows what a checkpoint computes again on what it computed first', () => {
    const layout = laid('25_checkpoint');
    const events = recorded.get('25_checkpoint')!;
    const start = events.findIndex(({ kind }) => kind === 'recomputation_started');
    const again = events.slice(start).find((event) => event.kind === 'op_applied')!;
    expect(layout.itemOfRerun(again.seq)?.text).toBe('×');
    expect(layout.items.filter((item) => item.kind === 'op')).toHaveLength(4);
    expect(layout.items.filter((item) => item.checkpoint?.function === 'block').map(({ text }) => text)).toEqual([
      '×',
      'σ',
    ]);
  });

  it('leaves out what happens inside custom Functions, and places what carries a tangent', () => {
    const ops = (name: string) =>
      laid(name)
        .items.filter((item) => item.kind === 'op')
        .map(({ text }) => text);
    expect(ops('23_custom_function')).toEqual(['Cube']);
    expect(ops('26_forward_mode')).toEqual(['× 3', '× 0.25', 'tanh']);
  });

  it('tells first from second derivatives', () => {
    expect(laid('12_second_derivative').chunks.map(({ order }) => order)).toEqual([0, 1, 2]);
  });

  it('gives each training step its column, and a leaf its card in each', () => {
    const layout = laid('17_mlp');
    expect(layout.columns).toHaveLength(20);
    const weight = layout.items.find((item) => item.text === 'W1')!.tensor;
    expect(layout.cardsOf(weight).filter((card) => card.kind === 'leaf')).toHaveLength(20);
    layout.columns.slice(1).forEach((column, i) => {
      const before = layout.columns[i]!.rect!;
      expect(column.rect!.x).toBeGreaterThanOrEqual(before.x + before.width);
    });
  });

  it('stands what a recorded backward pass applied to the right, upside down', () => {
    const { chunks } = laid('12_second_derivative');
    expect(chunks.map((chunk) => chunk.up)).toEqual([false, true, true]);
    expect(chunks[1]!.rect.x).toBeGreaterThan(chunks[0]!.rect.x + chunks[0]!.rect.width);
  });

  it('leaves out what is outside the graph, and shows all of a program without one', () => {
    expect(laid('17_mlp').items.some((item) => item.text.endsWith('='))).toBe(false);
    const ops = laid('no_graph').items.filter((item) => item.kind === 'op');
    expect(ops.length).toBeGreaterThan(0);
    expect(ops.every((item) => item.node === null)).toBe(true);
  });

  it('shows what it has when the stream rests', () => {
    const layout = laid('01_first_backward', 13);
    const changed = vi.fn();
    layout.onChange(changed);
    expect(layout.items).toHaveLength(0);
    vi.advanceTimersByTime(400);
    expect(layout.items.length).toBeGreaterThan(0);
    expect(changed).toHaveBeenCalledTimes(1);
  });
});

describe('symbols', () => {
  it.each([
    ['mul', '×'],
    ['add_', '+='],
    ['sum_all', 'sum'],
    ['mm', '@'],
    ['log_softmax', 'log_softmax'],
    ['linalg_inv_ex', 'linalg.inv'],
    ['div_unrounded', '÷'],
    ['native_layer_norm', 'layer_norm'],
    ['eq', '=='],
    ['eq_number_', 'eq_'],
    ['floor_divide_', '//='],
  ])('of %s is %s', (op, symbol) => {
    expect(symbolOf(op)).toBe(symbol);
  });

  it('carry plain numbers', () => {
    const op = (name: string, argument: string, text: string) =>
      opText({
        op: name,
        inputs: [
          { name: 'self', tensor: 1, text: null },
          { name: argument, tensor: null, text },
        ],
      } as never);
    expect(op('mul', 'other', '0.5')).toBe('× 0.5');
    expect(op('pow', 'exponent', '2')).toBe('x²');
    expect(op('pow', 'exponent', '-0.5')).toBe('x^−0.5');
    expect(op('ge', 'other', '3')).toBe('>= 3');
    expect(op('div_mode', 'rounding_mode', "'floor'")).toBe('div floor');
  });
});
