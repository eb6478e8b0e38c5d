// Protects: what the layout promises of every recorded program: parameters beside their op, cards as wide as their texts, pills
// that grow, no room for what is still to come, edges without hooks, and one arrowhead at each end that a value or a gradient reaches.

import { describe, expect, it, vi } from 'vitest';
import { goldens } from '../protocol/goldens';
import { ARRIVED } from '../renderer/motion';
import { drawEdge } from '../renderer/parts/edge';
import type { Pen } from '../renderer/pen';
import type { CardPart, EdgePart } from '../scene/parts/parts';
import { buildScene, type Scene } from '../scene/scene';
import { opened } from '../scene/walks';
import type { Item, Link } from './graph';
import { overlaps } from './rect';
import { CARD_BODY, CARD_CHARS, LARGE, NAME_CHARS, NUMBER_CHARS, SMALL, TEXT, width } from './size';

const NOTHING = { selection: null, hover: null };
const GOLDENS = goldens();
/** A level edge with the number of a gradient above it. */
const MOST_EDGE = 125;
const CARD_PAD = 24;
const LEAST_CARD = 56;

const open = (name: string) => opened(GOLDENS.find(([golden]) => golden === name)![1]);
const isSingle = ({ kind, outputs }: Item) => kind !== 'op' && outputs[0]!.uses === 1;
const heightsOf = ({ points }: Link) => [...points].filter((_, i) => i % 2 === 1);
const placesOf = ({ points }: Link) => [...points].filter((_, i) => i % 2 === 0);

function* moments({ timeline, layout }: ReturnType<typeof open>): Generator<Scene> {
  const stride = 1 + Math.floor(timeline.moments.length / 60);
  for (let cursor = 0; cursor < timeline.moments.length; cursor += stride) {
    yield buildScene(timeline.stateAt(cursor), layout, NOTHING);
  }
}

/** How wide the texts of a leaf's card are, with room for its version and for any gradient. */
function textsOf({ item, name, value }: CardPart): number {
  const [wide, title] = [width(value.text, TEXT), width(name, LARGE)];
  const gradient = item.requiresGrad ? width('.grad ', SMALL) + width(NUMBER_CHARS, SMALL) : 0;
  return item.body < CARD_BODY ? Math.max(title + wide, gradient) : Math.max(title, wide, gradient);
}

describe.each(GOLDENS)('%s', (name, events) => {
  const run = opened(events);
  const { layout, timeline } = run;

  it('has the parameters of an op beside it, at its height with a short edge, but for one that all else hangs on', () => {
    for (const { items } of layout.chunks) {
      for (const op of items) {
        const inputs = [...new Set(op.inputs.map(({ from }) => from))];
        const near = inputs.filter((from) => isSingle(from) && from.place === op.place && from.chunk === op.chunk);
        if (op.kind !== 'op' || inputs.length < 2 || inputs.length > 3 || op.checkpoint?.items[0] === op) continue;
        const beside = near.filter(({ host }) => host === op);
        if (near.every(({ seq }) => seq >= 0) && beside.length > 0) {
          expect(near.length - beside.length).toBeLessThanOrEqual(near.length === inputs.length ? 1 : 0);
        }
        for (const side of beside) {
          expect(side.x + side.right).toBeLessThan(op.x - op.left);
          const link = op.inputs.find(({ from }) => from === side)!;
          if (beside.length === 1) expect(new Set(heightsOf(link)).size).toBe(1);
          const labels = Math.max(op.left, ...inputs.map(({ left, kind }) => (kind === 'op' ? left : 0)));
          expect(Math.abs(placesOf(link).at(-1)! - link.points[0]!)).toBeLessThanOrEqual(
            Math.max(MOST_EDGE, labels + MOST_EDGE - op.pillLeft),
          );
        }
      }
    }
  });

  it('has cards as wide as their texts', () => {
    const scene = buildScene(timeline.stateAt(timeline.moments.length - 1), layout, NOTHING);
    for (const card of scene.visible(scene.bounds).cards) {
      if (card.item.kind !== 'leaf') continue;
      const most = card.item.text.includes('.') ? CARD_CHARS : NAME_CHARS;
      if ([...card.item.text].length <= most) expect(card.name).toBe(card.item.text);
      const spare = card.rect.width - CARD_PAD - Math.max(LEAST_CARD, textsOf(card));
      expect(spare, card.name).toBeGreaterThanOrEqual(0);
    }
  });

  it('keeps no room for what is still to come', () => {
    for (const scene of moments(run)) {
      const hasBegun = ({ first }: { first: number }) => first <= scene.state.seq;
      const begun = layout.chunks.findLastIndex(hasBegun);
      layout.chunks.forEach((chunk, i) => {
        if (hasBegun(chunk) || begun < 0) return;
        // A leaf that nothing uses is there from the beginning, behind all else.
        if (i > begun) expect(overlaps(scene.bounds, chunk.rect)).toBe(false);
        if (layout.chunks.find(({ column }) => column === chunk.column) !== chunk) {
          expect(overlaps(scene.frame, chunk.rect)).toBe(false);
        }
      });
    }
  });

  it('shows a pass without those beside it', () => {
    for (const scene of moments(run)) {
      const column = layout.columnAt(scene.state.seq);
      for (const other of layout.columns) {
        if (other !== column && column?.rect && other.rect) expect(overlaps(scene.frame, other.rect)).toBe(false);
      }
    }
  });

  it('shows what is made between two passes beside what it is made for', () => {
    const ends = events.filter(({ kind }) => kind === 'backward_finished').map(({ seq }) => seq);
    for (const item of layout.items) {
      const column = layout.columns[layout.chunks[item.chunk]!.column]!;
      const ended = ends.findLast((seq) => seq < column.first);
      if (ended !== undefined && item.seq > ended) expect(layout.columnAt(item.seq), item.text).toBe(column);
    }
  });

  it('has edges that lead straight to where they end, without hooks', () => {
    for (const link of layout.links) {
      if (link.from.host === link.to) continue;
      const isUp = layout.chunks[link.chunk]!.up;
      const ys = heightsOf(link);
      for (let i = 1; i < ys.length; i += 1) {
        expect(isUp ? ys[i - 1]! - ys[i]! : ys[i]! - ys[i - 1]!).toBeGreaterThanOrEqual(-0.01);
      }
    }
  });

  it('draws two inputs of one tensor as two straight lines where nothing else keeps their op aside', () => {
    for (const op of layout.items) {
      const [one, other] = op.inputs;
      if (op.inputs.length !== 2 || one!.from !== other!.from || one!.output !== other!.output) continue;
      if (one!.from.outputs[one!.output]!.uses !== 2) continue;
      expect([new Set(placesOf(one!)).size, new Set(placesOf(other!)).size], `${name}: ${op.text}`).toEqual([1, 1]);
    }
  });

  it('has one arrowhead where an edge brings a value, and one where it brings a gradient', () => {
    const scene = buildScene(timeline.stateAt(timeline.moments.length - 1), layout, NOTHING);
    for (const edge of scene.visible(scene.bounds).edges) {
      const tips = arrowsOf(edge);
      const lanes =
        Number(edge.link.value) +
        Number(edge.tangent && !edge.tracked) +
        Number(edge.tracked && edge.gradient !== null);
      expect(tips).toHaveLength(lanes);
      expect(new Set(tips.map(String)).size).toBe(lanes);
    }
  });
});

/** Where the arrowheads of an edge are drawn. */
function arrowsOf(edge: EdgePart): [number, number][] {
  const tips: [number, number][] = [];
  const pen = {
    showsShapes: true,
    tokens: {},
    line: vi.fn(),
    stroke: vi.fn(),
    arrow: (x: number, y: number) => tips.push([x, y]),
  };
  drawEdge(pen as unknown as Pen, edge, ARRIVED);
  return tips;
}

it.each(['01_first_backward', '17_mlp'])('has pills in %s that grow to the right once their grad_fn comes', (name) => {
  const run = open(name);
  const widths = new Map<number, Set<number>>();
  for (const scene of moments(run)) {
    for (const { item, rect, name: shown, replaced } of scene.visible(scene.bounds).pills) {
      if (item.node === null || replaced) continue;
      expect(rect.x).toBe(item.x - item.pillLeft);
      expect(rect.width).toBe(item.pillLeft + (shown === null ? item.pillNarrow : item.pillRight));
      widths.set(item.id, (widths.get(item.id) ?? new Set()).add(rect.width));
    }
  }
  expect([...widths.values()].some((seen) => seen.size === 2)).toBe(true);
});
