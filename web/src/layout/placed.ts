// What is placed: forward passes side by side, one column for each, and to the right of a column what its backward pass
// recorded, as a further mirror; on an upright stage below it.  Nothing that is placed moves.

import { Series } from '../timeline/series';
import { type Area, shift } from './area';
import type { Frame } from './frame';
import type { Item, Link } from './graph';
import { PORTION } from './pace/slices';
import { type Rect, union } from './rect';

export type Chunk = {
  index: number;
  column: number;
  up: boolean;
  /** How often the gradient was taken to get what it computes: 0 for a forward pass. */
  order: number;
  rect: Rect;
  first: number;
  items: Item[];
  links: Link[];
  /** Outer frames before those inside them. */
  frames: readonly Frame[];
  area: Area;
};
export type Column = {
  index: number;
  rect: Rect | null;
  /** Where the chunks of a forward pass that are below each other begin and end; a long pass is in several such stacks. */
  stack: { x: number; bottom: number };
  /** The event that began it, and the last one before the next column. */
  first: number;
  last: number;
  /** The event at which the pass before it ended. */
  after: number;
  /** The first event since then that made something in it; from here on the column is in force. */
  shown: number;
  /** The backward passes that started here. */
  calls: Series<number>;
};

/** The chunks that have begun by event `seq`, without those placed behind what is still to come, as leaves that nothing uses. */
export function begunBy<C extends Pick<Chunk, 'first'>>(chunks: readonly C[], seq: number): readonly C[] {
  const next = chunks.findIndex(({ first }) => first > seq);
  return next > 0 ? chunks.slice(0, next) : chunks.filter(({ first }) => first <= seq);
}

/** Between two columns. */
export const COLUMN_GAP = 96;
const CHUNK_GAP = 48;
const MIRROR_GAP = 72;
/**
 * A column that is so much wider than high has the next one below it, until what is below each other is as high as wide:
 * beside each other, many of them would be a thin line.
 */
const WIDE = { least: 2400, ratio: 3 };
/** A chunk that would end lower than this is beside the others of its column, not below them. */
const MOST_HEIGHT = 12_000;

/** Chunks and their columns, with all that is in them in the order in which it was placed. */
export class Placed {
  readonly items: Item[] = [];
  readonly links: Link[] = [];
  readonly chunks: Chunk[] = [];
  readonly columns: Column[] = [];
  bounds: Rect = { x: 0, y: 0, width: 0, height: 0 };
  readonly #edges = new Map<number, Link[]>();
  readonly #cards = new Map<number, Item[]>();
  readonly #upright: boolean;

  /** On an upright stage what is beside each other is not seen together. */
  constructor(upright = false) {
    this.#upright = upright;
  }

  /** The link that the gradient of a node's input takes. */
  linkOf(node: number, inputNr: number): Link | null {
    return this.#edges.get(node)?.[inputNr] ?? null;
  }

  /** The cards on which a tensor is shown, first to last. */
  cardsOf(tensor: number): readonly Item[] {
    return this.#cards.get(tensor) ?? [];
  }

  chunkOf(item: Item): Chunk | null {
    return this.chunks[item.chunk] ?? null;
  }

  /** Begins a column at an event, `after` the one at which the pass before it ended. */
  begin(seq: number, after = seq): void {
    const last = this.columns.at(-1);
    if (last) last.last = seq - 1;
    const index = this.columns.length;
    this.columns.push({
      index,
      rect: null,
      stack: { x: 0, bottom: 0 },
      first: seq,
      last: Number.POSITIVE_INFINITY,
      after,
      shown: seq,
      calls: new Series(),
    });
  }

  /** Forgets everything, where it was only leaves without links. */
  clear(): void {
    this.#cards.clear();
    this.items.length = 0;
    this.chunks.length = 0;
    this.columns.length = 0;
  }

  /**
   * Gives what is laid out around an origin of its own the next place in its column; the work may rest wherever it yields,
   * and nothing of it is seen before it is done.
   */
  *settle(
    laid: Omit<Chunk, 'index' | 'first' | 'rect'>,
    size: { width: number; height: number },
  ): Generator<void, void> {
    const column = this.columns[laid.column]!;
    const rect = this.#site(column, laid.up, size);
    let first = Number.POSITIVE_INFINITY;
    for (const { seq } of laid.items) {
      first = Math.min(first, seq);
      if (seq > column.after) column.shown = Math.min(column.shown, seq);
    }
    const chunk: Chunk = { ...laid, index: this.chunks.length, first, rect };
    yield* this.#shift(chunk);
    this.chunks.push(chunk);
    for (const item of chunk.items) this.#number(item, chunk);
    for (const made of chunk.links) this.#tie(made, chunk);
    column.rect = union(column.rect, rect);
    // What comes next may be wider than the others, and must not lie over a mirror beside them.
    const { stack } = column;
    const bottom = rect.y + rect.height;
    column.stack = laid.up ? { x: stack.x, bottom: Math.max(stack.bottom, bottom) } : { x: rect.x, bottom };
    this.bounds = union(this.chunks.length === 1 ? null : this.bounds, rect);
  }

  /** Where the next chunk goes: beside or below the column before; in a column below the others, or to their right when they are high or it mirrors them on a stage that is not upright. */
  #site(column: Column, up: boolean, { width, height }: { width: number; height: number }): Rect {
    const own = column.rect;
    if (!own) {
      const last = this.columns[column.index - 1]?.rect;
      if (!last) return { x: 0, y: 0, width, height };
      const bottom = last.y + last.height + COLUMN_GAP;
      if (isWide(last) && bottom + height <= last.width) return { x: last.x, y: bottom, width, height };
      return { x: this.bounds.x + this.bounds.width + COLUMN_GAP, y: 0, width, height };
    }
    if (up && !this.#upright)
      return { x: own.x + own.width + MIRROR_GAP, y: Math.max(own.y, own.y + own.height - height), width, height };
    const { x, bottom } = column.stack;
    const y = bottom + (up ? MIRROR_GAP : CHUNK_GAP);
    if (y + height - own.y > MOST_HEIGHT) return { x: own.x + own.width + CHUNK_GAP, y: own.y, width, height };
    return { x, y, width, height };
  }

  *#shift({ index, rect: { x, y }, area, items, frames, links }: Chunk): Generator<void, void> {
    shift(area, x, y);
    for (const item of items) {
      item.x += x;
      item.y += y;
    }
    yield;
    const move = (one: Frame | Link) => {
      one.rect.x += x;
      one.rect.y += y;
      one.labelX += x;
      one.labelY += y;
    };
    for (const frame of frames) {
      frame.chunk = index;
      move(frame);
    }
    for (let k = 0; k < links.length; k += 1) {
      const made = links[k]!;
      move(made);
      const { points } = made;
      for (let i = 0; i < points.length; i += 2) {
        points[i]! += x;
        points[i + 1]! += y;
      }
      if (k % PORTION === 0) yield;
    }
  }

  #number(item: Item, chunk: Chunk): void {
    item.id = this.items.length;
    item.chunk = chunk.index;
    this.items.push(item);
    if (item.kind === 'op') return;
    const cards = this.#cards.get(item.tensor);
    if (cards) cards.push(item);
    else this.#cards.set(item.tensor, [item]);
  }

  #tie(made: Link, chunk: Chunk): void {
    made.id = this.links.length;
    made.chunk = chunk.index;
    this.links.push(made);
    if (made.node === null) return;
    let edges = this.#edges.get(made.node);
    if (!edges) {
      edges = [];
      this.#edges.set(made.node, edges);
    }
    edges[made.inputNr] = made;
  }
}

function isWide({ width, height }: Rect): boolean {
  return width >= WIDE.least && width >= WIDE.ratio * height;
}
