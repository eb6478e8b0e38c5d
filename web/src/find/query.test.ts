// Protects: each way of saying what one looks for finds that and nothing else.

import { describe, expect, it } from 'vitest';
import type { Item } from '../layout/graph';
import type { Row } from './catalogue';
import { Query } from './query';

const row: Row = {
  item: {} as Item,
  op: 'addmm',
  grad: 'AddmmBackward0',
  node: 17,
  module: 'model.layers.2.fc1',
  names: ['hidden', 'model.layers.2.fc1.weight'],
  shapes: ['64x128', ''],
  line: 12,
};

function fits(text: string, over: Partial<Row> = {}): boolean {
  return new Query(text).fits({ ...row, ...over });
}

describe('a query', () => {
  it.each(['addmm', 'ADDMM', 'addmmback', 'hidden', 'fc1.weight', 'layers.2', 'hidden fc1'])(
    'finds a text: %s',
    (text) => {
      expect(fits(text)).toBe(true);
    },
  );

  it('reads the name of a node by its parts', () => {
    for (const text of ['accumulate', 'grad', 'AccumulateGrad'])
      expect(fits(text, { grad: 'AccumulateGrad' }), text).toBe(true);
    expect(fits('mul', { grad: 'AccumulateGrad' })).toBe(false);
    expect(fits('softmax', { grad: 'LogSoftmaxBackward0' })).toBe(true);
  });

  it('wants every word', () => {
    expect(fits('hidden relu')).toBe(false);
    expect(fits('hidden addmm 12 [64, 128]')).toBe(true);
  });

  it.each(['[64, 128]', '64x128', '64×128', '(64, 128)', '[64,128]', '[*, 128]', '64x*', '[64', '[64, 1', '[]'])(
    'finds a shape: %s',
    (text) => expect(fits(text)).toBe(true),
  );

  it.each(['[64]', '[128, 64]', '64x12', '[64, 128, 1]', '[6, 128]', '[64, 2'])(
    'does not find another shape: %s',
    (text) => expect(fits(text)).toBe(false),
  );

  it('tells lines from node numbers', () => {
    for (const text of ['12', ':12', 'line 12', 'line:12', 'L12', '17', '#17', 'node 17', 'node:17']) {
      expect(fits(text), text).toBe(true);
    }
    for (const text of ['line 17', '#12', 'node 12', '1', ':1']) expect(fits(text), text).toBe(false);
    expect(fits('line 12', { line: null })).toBe(false);
  });

  it('knows a name with a number in it from a number', () => {
    expect(fits('x1', { names: ['x1'] })).toBe(true);
    expect(fits('w2', { names: ['x1'] })).toBe(false);
  });

  it('finds a name that reads like a number of a line or a node', () => {
    for (const name of ['l1', 'n2', 'L3', 'fc.l1.weight', 'line4'])
      expect(fits(name.split('.').at(-2) ?? name, { names: [name] }), name).toBe(true);
    for (const text of ['l:1', 'line 1', ':1', '#1', 'node 1'])
      expect(fits(text, { names: ['l1', 'n1'] }), text).toBe(false);
    expect(fits('line1x', { names: ['line1x'], line: null })).toBe(true);
  });

  it('reads a number alone as a part of a path too', () => {
    expect(fits('2')).toBe(true);
    expect(fits('2', { module: 'model.layers.12.fc2', names: ['x2'] })).toBe(false);
    expect(fits('2', { module: 'model.12', names: ['layers.2'] })).toBe(true);
  });

  it('asks for nothing when nothing is typed', () => {
    expect(new Query('  ').isEmpty).toBe(true);
    expect(new Query('[').isEmpty).toBe(false);
  });
});
