// Protects: a folded place is marked where one of its ops failed or made a NaN, or one of its nodes sent one, from that moment on,
// and no other is.

import { describe, expect, it } from 'vitest';
import type { Area } from '../../layout/area';
import type { Item } from '../../layout/graph';
import type { MirrorLayout } from '../../layout/mirror';
import type { Chunk } from '../../layout/placed';
import type { RunState } from '../../timeline/state';
import { markIn } from './mark';

const chunk = {} as Chunk;

function area(items: Item[], areas: Area[] = []): Area {
  const rect = { x: 0, y: 0, width: 10, height: 10 };
  return { rect, frame: null, seq: 0, items, links: [], areas, ops: items.length, wanted: [] };
}

function op(seq: number, nans: number): Item {
  return { seq, chunk: 0, event: { outputs: [{ value: { nan_count: nans } }] } } as unknown as Item;
}

function at(seq: number, failed: number | null = null, nanSent = new Map<number, number>()): RunState {
  return { seq, error: failed === null ? null : { node: failed }, history: { nanSent } } as unknown as RunState;
}

function layout(item: Item | null): MirrorLayout {
  return { chunks: [chunk], itemOfNode: () => item } as unknown as MirrorLayout;
}

describe('the mark of a folded place', () => {
  it('says NaN once an op within it made one', () => {
    const outer = area([op(1, 0)], [area([op(5, 2)])]);
    expect(markIn(outer, chunk, null, at(4), layout(null))).toBe(null);
    expect(markIn(outer, chunk, null, at(5), layout(null))).toBe('nan');
  });

  it('says NaN where its parameters got one', () => {
    expect(markIn(area([]), chunk, { norm: Number.NaN, given: false }, at(3), layout(null))).toBe('nan');
    expect(markIn(area([]), chunk, { norm: 2, given: false }, at(3), layout(null))).toBe(null);
  });

  it('says error where the node that failed is in it', () => {
    const failed = op(1, 0);
    expect(markIn(area([failed]), chunk, null, at(3, 7), layout(failed))).toBe('error');
    expect(markIn(area([op(2, 0)]), chunk, null, at(3, 7), layout(failed))).toBe(null);
  });

  it('says NaN once a node in it sent one, in each place around the node', () => {
    const node = { ...op(1, 0), node: 7 };
    const inner = area([node]);
    const other = area([{ ...op(2, 0), node: 8 }]);
    const outer = area([], [inner, other]);
    const nanSent = new Map<number, number>();
    const marked = (seq: number) =>
      [outer, inner, other].map((one) => markIn(one, chunk, null, at(seq, null, nanSent), layout(null)));
    expect(marked(6)).toEqual([null, null, null]);
    nanSent.set(7, 6);
    expect(marked(5)).toEqual([null, null, null]);
    expect(marked(6)).toEqual(['nan', 'nan', null]);
    nanSent.set(8, 9);
    expect(marked(6)).toEqual(['nan', 'nan', null]);
    expect(marked(9)).toEqual(['nan', 'nan', 'nan']);
  });
});
