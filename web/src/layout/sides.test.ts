// Protects: a parameter is beside its op at its height, two inputs of one tensor are parallel, and edges cross as rarely as they did.

import { describe, expect, it } from 'vitest';
import { goldens } from '../protocol/goldens';
import { EventLog } from '../store/log';
import type { Item } from './graph';
import type { Breadth } from './label';
import { MirrorLayout } from './mirror';
import { overlaps } from './rect';
import { CHIP_HEIGHT, HOOK_HEIGHT, PILL_HEIGHT } from './size';

const GOLDENS = goldens();

function laid(name: string, breadth: Breadth = 'wide'): MirrorLayout {
  const [, events] = GOLDENS.find(([golden]) => golden === name)!;
  const log = new EventLog();
  const layout = new MirrorLayout(log, null, breadth);
  log.append(events);
  layout.commit();
  return layout;
}

const middleOf = (op: Item) => op.y + op.pillTop + PILL_HEIGHT / 2;

describe('the parameters of a network', () => {
  const layout = laid('17_mlp');
  const first = layout.chunks[0]!;
  const find = (name: string) => first.items.find(({ text }) => text === name)!;

  it.each(['W1', 'b1', 'W2', 'b2', 'target'])('have %s beside its op, at its height, with a straight edge', (name) => {
    const card = find(name);
    const link = first.links.find(({ from }) => from === card)!;
    expect(card.host).toBe(link.to);
    expect(card.x + card.right).toBeLessThan(link.to.x - link.to.left);
    expect(card.y).toBeLessThan(middleOf(link.to));
    expect(card.y + card.height).toBeGreaterThan(middleOf(link.to));
    expect([...link.points].filter((_, i) => i % 2 === 1)).toEqual([middleOf(link.to), middleOf(link.to)]);
  });

  it('leave the data above the first op, and all ops on one line', () => {
    const [product, data] = [find('@'), find('x')];
    expect(data.host).toBe(null);
    expect(data.y + data.height).toBeLessThan(product.y);
    expect(new Set(first.items.filter(({ kind }) => kind === 'op').map(({ x }) => x)).size).toBe(1);
  });

  it('let a pass of eight ops be no higher than a page', () => {
    expect(first.rect.height).toBeLessThanOrEqual(460);
  });
});

it('draws two inputs of one tensor as parallel lines, with a number at each side', () => {
  const layout = laid('10_retain_graph');
  const [left, right] = layout.links.filter(({ from, to }) => from.kind === 'op' && to.inputs.length === 2);
  const xs = (points: Float32Array) => new Set([...points].filter((_, i) => i % 2 === 0));
  expect([xs(left!.points).size, xs(right!.points).size]).toEqual([1, 1]);
  expect(right!.points[0]! - left!.points[0]!).toBeGreaterThan(12);
  expect([left!.labelLeft, right!.labelLeft]).toEqual([true, false]);
});

/** How often two courses cross; where they only touch they do not. */
function crossings(a: Float32Array, b: Float32Array): number {
  const side = (p: Float32Array, i: number, q: Float32Array, k: number) =>
    Math.sign((p[i]! - p[i - 2]!) * (q[k + 1]! - p[i - 1]!) - (p[i + 1]! - p[i - 1]!) * (q[k]! - p[i - 2]!));
  let count = 0;
  for (let i = 2; i < a.length; i += 2) {
    for (let k = 2; k < b.length; k += 2) {
      if (side(a, i, b, k - 2) * side(a, i, b, k) < 0 && side(b, k, a, i - 2) * side(b, k, a, i) < 0) count += 1;
    }
  }
  return count;
}

/**
 * A transformer block, what torch.func maps, and a bias that goes into two calls of its module cannot be drawn without; all
 * other recorded programs can.
 */
const CROSSINGS: Record<string, number> = { training: 4, transforms: 1, shared_weights: 1 };

function crossingsIn({ chunks }: MirrorLayout): number {
  let count = 0;
  for (const { links } of chunks) {
    links.forEach((one, i) => {
      for (const other of links.slice(i + 1)) count += crossings(one.points, other.points);
    });
  }
  return count;
}

it.each(GOLDENS)('crosses no more edges of %s than have to be', (name) => {
  expect(crossingsIn(laid(name))).toBeLessThanOrEqual(CROSSINGS[name] ?? 0);
});

describe('chips below their op', () => {
  it.each(GOLDENS)('cross no more edges of %s, and lie over nothing', (name) => {
    const layout = laid(name, 'upright');
    expect(crossingsIn(layout)).toBeLessThanOrEqual(name === 'training' ? 8 : (CROSSINGS[name] ?? 0));
    for (const { items, up } of layout.chunks) {
      for (const op of items) {
        const rects = [
          ...op.chips.map((chip) => ({ ...chip, height: CHIP_HEIGHT })),
          ...op.hooks.map((hook) => ({ ...hook, height: HOOK_HEIGHT })),
        ];
        rects.forEach((one, i) => {
          expect(one.x + one.width).toBeLessThanOrEqual(op.right);
          if (op.outputs.length > 1) return;
          if (op.chips.length > 0 && i < op.chips.length) {
            expect(up ? one.y + one.height <= op.pillTop : one.y >= op.pillTop + PILL_HEIGHT).toBe(true);
            expect(one.y).toBeGreaterThanOrEqual(0);
            expect(one.y + one.height).toBeLessThanOrEqual(op.height);
          }
          for (const other of rects.slice(i + 1)) expect(overlaps(one, other)).toBe(false);
        });
        for (const other of items) if (other !== op) expect(overlaps(roomOf(op), roomOf(other))).toBe(false);
      }
    }
  });

  it('are short where there is little width, and a network fits a window of 1280 by 720', () => {
    expect(laid('17_mlp', 'narrow').chunks[0]!.rect.width).toBeLessThanOrEqual(530);
    const texts = laid('01_first_backward', 'narrow').items.flatMap(({ chips }) => chips.map(({ text }) => text));
    expect(texts).toEqual(['other = x  4 B']);
  });

  it('make a network so narrow that a phone shows it whole', () => {
    const [beside, below] = [laid('17_mlp').chunks[0]!.rect, laid('17_mlp', 'slim').chunks[0]!.rect];
    expect(below.width).toBeLessThanOrEqual(beside.width - 80);
    expect(below.height).toBeLessThanOrEqual(600);
  });
});

const roomOf = ({ x, y, left, right, height }: Item) => ({ x: x - left, y, width: left + right, height });
