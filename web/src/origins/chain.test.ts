// Protects: a value that is not finite is followed element by element to the op that made it of finite ones.

import { describe, expect, it } from 'vitest';
import type { Event, Summary } from '../protocol/events';
import { History } from '../timeline/history';
import { broadcastPlace, chainOf } from './chain';

const ELEMENTWISE = new Set(['log', 'mul', 'where', 'add']);
type Values = Summary['values'];

function summary(shape: number[], values: Values): Summary {
  const count = (text: string) => values.filter((value) => String(value).includes(text)).length;
  return {
    shape,
    dtype: 'float32',
    strides: [],
    nbytes: 4 * values.length,
    min: null,
    max: null,
    mean: null,
    norm: null,
    nan_count: count('NaN'),
    inf_count: count('Infinity'),
    values,
  };
}

/** A log of tensors 1, 2, ... each made of earlier ones; `in_place` changes its first input. */
class Program {
  readonly events: Event[] = [];
  readonly history = new History();
  #last = 0;

  add(event: Event): void {
    this.events.push(event);
    this.history.add(event);
  }

  info(tensor: number, value: Summary) {
    return { tensor, storage: 100 + tensor, version: 0, requires_grad: false, is_leaf: true, base: null, value };
  }

  made(shape: number[], values: Values): number {
    this.#last += 1;
    const info = this.info(this.#last, summary(shape, values));
    this.add({ kind: 'tensor_created', seq: this.events.length, line: 1, origin: 'tensor', info });
    return this.#last;
  }

  op(op: string, inputs: Record<string, number | string>, shape: number[], values: Values, into?: number): number {
    const tensor = into ?? ++this.#last;
    this.add({
      kind: 'op_applied',
      seq: this.events.length,
      line: this.events.length + 1,
      op,
      node: null,
      is_view: false,
      during: null,
      module_path: null,
      repeat: [],
      hidden: [],
      in_place: into !== undefined,
      outputs: [this.info(tensor, summary(shape, values))],
      inputs: Object.entries(inputs).map(([name, given]) =>
        typeof given === 'number' ? { name, tensor: given, text: null } : { name, tensor: null, text: given },
      ),
    });
    if (into !== undefined)
      this.add({
        kind: 'tensor_mutated',
        seq: this.events.length,
        line: null,
        tensor,
        storage: 100 + tensor,
        version: 1,
        op,
        value: summary(shape, values),
        through: null,
      });
    return tensor;
  }

  chain(tensor: number, element: number[] | null) {
    return chainOf(this.history, this.events, ELEMENTWISE, tensor, element, this.events.length - 1);
  }
}

describe('the chain of a NaN', () => {
  it('leads to the op that made it, with what it got at that place', () => {
    const program = new Program();
    const x = program.made([2], [4, -1]);
    const logged = program.op('log', { self: x }, [2], [1.386, 'NaN']);
    const scaled = program.op('mul', { self: logged, other: '2' }, [2], [2.77, 'NaN']);
    const sum = program.op('sum', { self: scaled }, [], ['NaN']);
    const { links, more } = program.chain(sum, []);
    expect(links.map(({ by, tensor, element }) => [by, tensor, element])).toEqual([
      ['sum', sum, []],
      ['mul', scaled, [1]],
      ['log', logged, [1]],
    ]);
    expect(links.at(-1)?.sources).toMatchObject([{ tensor: x, element: [1], value: -1, bad: false }]);
    expect(links[1]?.constants).toEqual([{ name: 'other', text: '2' }]);
    expect(more).toBe(false);
  });

  it('goes through broadcasting, and not into the branch that was not chosen', () => {
    const program = new Program();
    const row = program.made([1, 2], [1, 'Infinity']);
    const other = program.made([2, 2], ['NaN', 'NaN', 'NaN', 'NaN']);
    const condition = program.made([2, 2], [1, 1, 1, 1]);
    const chosen = program.op('where', { self: row, other, condition }, [2, 2], [1, 'Infinity', 1, 'Infinity']);
    const { links } = program.chain(chosen, [1, 1]);
    expect(links.map(({ tensor, element }) => [tensor, element])).toEqual([
      [chosen, [1, 1]],
      [row, [0, 1]],
    ]);
    expect(links[1]).toMatchObject({ by: 'tensor', sources: [] });
  });

  it('has the values from before a change in place', () => {
    const program = new Program();
    const x = program.made([1], ['Infinity']);
    program.op('mul', { self: x, other: '0' }, [1], ['NaN'], x);
    const { links } = program.chain(x, [0]);
    expect(links.map(({ by, value }) => [by, value])).toEqual([
      ['mul', 'NaN'],
      ['tensor', 'Infinity'],
    ]);
  });

  it('says how many others may have been meant, and goes on without an element where the log has too few', () => {
    const program = new Program();
    const large = program.made([600], []);
    const told = program.history.tensors.get(large)!.values.entries[0]!;
    told.nan_count = 3;
    const sum = program.op('sum', { self: large }, [], ['NaN']);
    const { links } = program.chain(sum, []);
    expect(links.map(({ tensor, element }) => [tensor, element])).toEqual([
      [sum, []],
      [large, null],
    ]);
    expect(links[0]?.sources[0]).toMatchObject({ among: 3, value: null, bad: true });
  });
});

it('finds the place that is broadcast', () => {
  expect(broadcastPlace([2, 3, 1], [1, 4])).toEqual([0, 1]);
  expect(broadcastPlace([2], [])).toEqual([]);
  expect(broadcastPlace([2], [3, 3])).toBeNull();
});
