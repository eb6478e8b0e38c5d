// Protects: what is known of an element becomes rows whose amounts belong together, opened along what gives most.

import { describe, expect, it } from 'vitest';
import type { Arrival, TracedElement } from '../protocol/events';
import { type Pass, Tree } from './tree';

const GIVEN: Arrival = {
  node: null,
  input_nr: 0,
  sent: 1,
  made: null,
  shares: [],
  more: 0,
  rest: null,
  adds_up: true,
  why: null,
};

function element(node: number, value: number | 'NaN', arrivals: Partial<Arrival>[], more: Partial<TracedElement> = {}) {
  const { node: _, ...plain } = GIVEN;
  return {
    node,
    output_nr: 0,
    shape: [2],
    element: [0],
    arrived: value,
    value,
    hooks: [],
    arrivals: arrivals.map((arrival) => ({ ...plain, node: null, made: arrival.sent ?? null, ...arrival })),
    ...more,
  } as TracedElement;
}

function share(factor: number, incoming: number | 'NaN', amount: number | 'NaN', at: number[] = [0]) {
  return { output_nr: 0, element: at, incoming, factor, amount };
}

const PASS: Pass = { call: 9, node: 1, output: 0, added: 7, seq: 50 };

/** A leaf 1 that gets 7: 6 by node 2, two shares of which the larger is 5, and 1 by node 3. */
function known(): Tree {
  const tree = new Tree([0], [PASS]);
  tree.add(9, [
    element(1, 7, [
      { node: 3, sent: 1, shares: [share(1, 1, 1)] },
      { node: 2, input_nr: 1, sent: 6, shares: [share(5, 1, 5), share(0.5, 1, 0.5, [1])], more: 2, rest: 0.5 },
    ]),
    element(2, 1, [{ node: 4, sent: 1, shares: [share(1, 1, 1, [])] }]),
    element(4, 1, [GIVEN], { shape: [], element: [] }),
  ]);
  return tree;
}

describe('a tree', () => {
  it('opens along what gives most, to what was given', () => {
    const tree = known();
    tree.openPath('p9');
    expect(tree.rows().map(({ id, level, kind, amount, open }) => [id, level, kind, amount, open])).toEqual([
      ['p9', 1, 'pass', 7, true],
      ['p9/0', 2, 'share', 1, false],
      ['p9/1', 2, 'sum', 6, true],
      ['p9/1/0', 3, 'share', 5, true],
      ['p9/1/0/0', 4, 'share', 1, true],
      ['p9/1/0/0/0', 4, 'given', 1, false],
      ['p9/1/1', 3, 'share', 0.5, false],
      ['p9/1/r', 3, 'rest', 0.5, false],
    ]);
  });

  it('shows nothing below what is closed', () => {
    const tree = known();
    tree.openPath('p9');
    tree.setOpen('p9', false);
    expect(tree.rows()).toHaveLength(1);
  });

  it('has the way of each row, from the element on to what was given', () => {
    const tree = known();
    tree.openPath('p9');
    const way = (id: string) => tree.trail(id).map(({ node, inputNr, sent }) => [node, inputNr, sent]);
    expect(way('p9')).toEqual([
      [2, 1, 6],
      [4, 0, 1],
    ]);
    expect(way('p9/1/0/0')).toEqual([
      [2, 1, 6],
      [4, 0, 1],
    ]);
    expect(way('p9/0')).toEqual([[3, 0, 1]]);
    expect(way('p9/1/1')).toEqual([[2, 1, 6]]);
  });

  it('tells what hooks made of it, and what cannot be told', () => {
    const tree = new Tree([0], [PASS]);
    tree.add(9, [
      element(1, 20, [{ node: 2, sent: 10, made: 5, shares: [], why: 'Not known.', adds_up: false }], {
        arrived: 10,
        hooks: ['double'],
      }),
    ]);
    tree.openPath('p9');
    expect(tree.rows().map((row) => row.kind)).toEqual(['pass', 'hooks', 'sum', 'hooks', 'words']);
  });

  it('follows what is not finite first', () => {
    const tree = new Tree([0], [{ ...PASS, added: null }]);
    tree.add(9, [
      element(1, 'NaN', [
        { node: 2, sent: 100, shares: [share(1, 100, 100)] },
        { node: 3, sent: 'NaN', shares: [share(1, 'NaN', 'NaN')] },
      ]),
      element(3, 'NaN', [GIVEN]),
    ]);
    tree.openPath('p9');
    expect(
      tree
        .rows()
        .filter((row) => row.open)
        .map((row) => row.id),
    ).toEqual(['p9', 'p9/1']);
    expect(tree.rows()[0]?.amount).toBe('NaN');
  });
});
