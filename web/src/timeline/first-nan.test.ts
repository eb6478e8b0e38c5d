// Protects: NaN and infinity are reported where they come to be, not at everything that they spread to.

import { describe, expect, it } from 'vitest';
import type { Event } from '../protocol/events';
import { goldens } from '../protocol/goldens';
import { AskedInfinities } from './asked-infinities';
import { FirstNans } from './first-nan';

const recorded = new Map(goldens());

/** Follows a log after what it asks for, as after a history. */
class Followed {
  readonly #asked = new AskedInfinities();
  readonly #nans = new FirstNans(this.#asked);
  #read = 0;

  update(events: readonly Event[]): void {
    for (; this.#read < events.length; this.#read += 1) this.#asked.add(events[this.#read]!);
    this.#nans.update(events);
  }

  get seqs(): readonly number[] {
    return this.#nans.seqs;
  }
}

function onsetsOf(name: string) {
  const events = recorded.get(name)!;
  const firstNans = new Followed();
  firstNans.update(events.slice(0, 5));
  firstNans.update(events);
  return firstNans.seqs.map((seq) => events[seq]!);
}

describe('firstNans', () => {
  it('are none where all is finite', () => {
    for (const name of ['training', '17_mlp', '11_accumulation']) expect(onsetsOf(name), name).toEqual([]);
  });

  it('name the op and the node that broke the numbers, and nothing after them', () => {
    expect(onsetsOf('28_where_nan').map(({ kind, line }) => [kind, line])).toEqual([
      ['op_applied', 4],
      ['gradient_sent', null],
    ]);
    const events = recorded.get('28_where_nan')!;
    expect(events.some((event) => event.kind === 'grad_accumulated' && event.after.nan_count > 0)).toBe(true);
  });

  it('are no tensors of nothing but infinities, which the program asked for', () => {
    const made = (inf_count: number) => {
      const firstNans = new Followed();
      const value = { shape: [4], nan_count: 0, inf_count };
      firstNans.update([
        { kind: 'tensor_created', seq: 0, origin: 'full', info: { tensor: 1, value } },
      ] as unknown as Event[]);
      return firstNans.seqs;
    };
    expect(made(4)).toEqual([]);
    expect(made(1)).toEqual([0]);
  });

  it('name a change in place once, however many see it through the same memory', () => {
    const value = { nan_count: 1, inf_count: 0 };
    const change = { kind: 'tensor_mutated', line: 4, storage: 1, version: 1, op: 'div_', value };
    const firstNans = new Followed();
    firstNans.update([
      { ...change, seq: 0, tensor: 3, through: null },
      { ...change, seq: 1, tensor: 2, through: 3 },
    ] as unknown as Event[]);
    expect(firstNans.seqs).toEqual([0]);
  });

  it('are neither parameters that a NaN gradient moves nor nodes that saved NaN', () => {
    const bad = { nan_count: 1, inf_count: 0 };
    const fine = { nan_count: 0, inf_count: 0 };
    const op = (inputs: number[], output: number, saved: number[], in_place = false) => ({
      kind: 'op_applied',
      inputs: inputs.map((tensor) => ({ tensor, text: null })),
      outputs: [{ tensor: output, value: bad }],
      node: { node: output, saved: saved.map((tensor) => ({ tensor })) },
      in_place,
    });
    const change = (tensor: number) => ({ kind: 'tensor_mutated', tensor, through: null, value: bad });
    const events = [
      { kind: 'backward_started', parent: null, root_nodes: [90], gradients: [fine] },
      { kind: 'gradient_sent', node: 90, to_node: 91, value: bad },
      { kind: 'grad_accumulated', tensor: 1, grad: 2, after: bad },
      op([2], 3, []),
      change(1),
      op([1, 3], 1, [], true),
      op([1], 4, [4]),
      { kind: 'backward_started', parent: null, root_nodes: [4], gradients: [fine] },
      { kind: 'gradient_sent', node: 4, to_node: 91, value: bad },
      change(7),
      op([7], 7, [], true),
    ].map((event, seq) => ({ ...event, seq }) as unknown as Event);
    const firstNans = new Followed();
    firstNans.update(events);
    expect(firstNans.seqs).toEqual([1, 9]);
  });

  it('are not begun anew by a pass inside another', () => {
    const bad = { nan_count: 1, inf_count: 0 };
    const fine = { nan_count: 0, inf_count: 0 };
    const events = [
      { kind: 'backward_started', parent: null, root_nodes: [1], gradients: [bad] },
      { kind: 'backward_started', parent: 1, root_nodes: [2], gradients: [fine] },
      { kind: 'gradient_sent', node: 1, to_node: 3, value: bad },
      { kind: 'gradient_sent', node: 2, to_node: 4, value: bad },
    ].map((event, seq) => ({ ...event, seq }) as unknown as Event);
    const firstNans = new Followed();
    firstNans.update(events);
    expect(firstNans.seqs).toEqual([3]);
  });

  it('are not what a program asks for, as the mask of an attention, but the NaN that comes of it', () => {
    const op = (name: string, inputs: (number | string)[], output: number, nan: number, inf: number) => ({
      kind: 'op_applied',
      op: name,
      inputs: inputs.map((input) => (typeof input === 'string' ? { tensor: null, text: input } : { tensor: input })),
      outputs: [{ tensor: output, value: { nan_count: nan, inf_count: inf } }],
    });
    const events = [
      op('masked_fill', [1, 2, '-inf'], 3, 0, 4),
      op('transpose', [3], 4, 0, 4),
      op('softmax', [4], 5, 1, 0),
      op('mul', [5], 6, 1, 0),
      op('log', [7], 8, 0, 1),
    ].map((event, seq) => ({ ...event, seq }) as unknown as Event);
    const firstNans = new Followed();
    firstNans.update(events);
    expect(firstNans.seqs).toEqual([2, 4]);
  });

  it('are not what a program fills in in place', () => {
    const value = { nan_count: 0, inf_count: 4 };
    const inputs = [{ tensor: 3 }, { tensor: 2 }, { tensor: null, text: '-inf' }];
    const events = [
      { kind: 'tensor_mutated', tensor: 3, value, through: null },
      { kind: 'op_applied', op: 'masked_fill_', in_place: true, inputs, outputs: [{ tensor: 3, value }] },
    ].map((event, seq) => ({ ...event, seq }) as unknown as Event);
    const firstNans = new Followed();
    firstNans.update(events);
    expect(firstNans.seqs).toEqual([]);
  });

  it('name a tensor that is given', () => {
    expect(onsetsOf('non_finite').map(({ kind }) => kind)).toContain('tensor_created');
  });
});
