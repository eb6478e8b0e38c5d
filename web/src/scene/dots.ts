// Dots: items and edges that are too small for a shape, which show whether a gradient came.  There may be tens of
// thousands in view, so that each costs a few searches and no memory.

import type { Item, Link } from '../layout/graph';
import type { MirrorLayout } from '../layout/mirror';
import type { RunState } from '../timeline/state';
import { changesSince, MOST_EVENTS } from './changes';
import type { SceneOptions } from './options';
import type { StepEffects } from './parts/parts';
import type { Target } from './target';

/** A leaf without a gradient and one with, an op that is not recorded, a node that has not run and one that has. */
export type Dot = 'leaf' | 'leaf-grad' | 'untracked' | 'idle' | 'done';
const DOTS: readonly Dot[] = ['leaf', 'leaf-grad', 'untracked', 'idle', 'done'];

/** Items and edges that are shown as dots and lines. */
export type Dots = { items: Record<Dot, Item[]>; sent: Link[]; unsent: Link[] };

export function noDots(): Dots {
  return { items: { leaf: [], 'leaf-grad': [], untracked: [], idle: [], done: [] }, sent: [], unsent: [] };
}

/** Says what dots there are at one moment, and keeps what it found while the view moves, and over the next step. */
export class DotMaker {
  readonly #items: Uint8Array;
  readonly #links: Uint8Array;
  readonly #length: number;
  /** The items of which there is more to say, as that they act or are selected: they are drawn as themselves. */
  readonly marked: ReadonlySet<Item>;

  constructor(
    readonly state: RunState,
    readonly layout: MirrorLayout,
    options: SceneOptions,
    effects: StepEffects,
    /** Of another moment; what the events between do not change is taken from it, and it must not be asked again. */
    earlier: DotMaker | null = null,
  ) {
    this.#length = layout.log.length;
    if (earlier && this.#isNear(earlier)) {
      this.#items = earlier.#items;
      this.#links = earlier.#links;
      this.#forget(earlier.state.seq);
    } else {
      this.#items = new Uint8Array(layout.items.length);
      this.#links = new Uint8Array(layout.links.length);
    }
    this.marked = markedBy(state, layout, options, effects);
  }

  item(item: Item): Dot {
    // Of what was laid out since then nothing can be kept.
    let known = this.#items[item.id];
    if (!known) {
      known = DOTS.indexOf(this.#lookOf(item)) + 1;
      this.#items[item.id] = known;
    }
    return DOTS[known - 1]!;
  }

  /** Whether an edge has carried a gradient in the passes of its column. */
  isSent(link: Link): boolean {
    let known = this.#links[link.id];
    if (!known) {
      const sent = link.node === null ? undefined : this.state.sent(link.node, link.inputNr);
      known = sent && sent.call >= this.#firstCall(link.chunk) ? 2 : 1;
      this.#links[link.id] = known;
    }
    return known === 2;
  }

  /** Whether another one looked at the same, as it was not long before or after. */
  #isNear(earlier: DotMaker): boolean {
    const isSame = earlier.layout === this.layout && earlier.state.history === this.state.history;
    const { items, links } = this.layout;
    const isWhole = earlier.#items.length === items.length && earlier.#links.length === links.length;
    const isQuiet = earlier.#length === this.#length;
    return isSame && isWhole && isQuiet && Math.abs(earlier.state.seq - this.state.seq) <= MOST_EVENTS;
  }

  /** Forgets what the events between this moment and another one change. */
  #forget(seq: number): void {
    const { items, links, columns } = changesSince(seq, this.state, this.layout);
    for (const { id } of items) this.#items[id] = 0;
    for (const { id } of links) this.#links[id] = 0;
    for (const { index } of columns) this.#forgetColumn(index);
  }

  /** With a new backward pass, what earlier ones brought to its column no longer counts. */
  #forgetColumn(column: number): void {
    for (const chunk of this.layout.chunks) {
      if (chunk.column !== column) continue;
      for (const { id } of chunk.items) this.#items[id] = 0;
      for (const { id } of chunk.links) this.#links[id] = 0;
    }
  }

  #lookOf(item: Item): Dot {
    const { state } = this;
    if (item.kind !== 'op') {
      if (!item.requiresGrad) return 'leaf';
      const column = this.layout.columns[this.layout.chunks[item.chunk]!.column]!;
      const grads = state.history.tensors.get(item.tensor)?.grads;
      return grads?.at(Math.min(state.seq, column.last))?.value ? 'leaf-grad' : 'leaf';
    }
    if (item.node === null) return 'untracked';
    const started = state.history.nodes.get(item.node)?.starts.at(state.seq);
    return started && started.call >= this.#firstCall(item.chunk) ? 'done' : 'idle';
  }

  #firstCall(chunk: number): number {
    return this.layout.columns[this.layout.chunks[chunk]!.column]!.calls.at(this.state.seq) ?? 0;
  }
}

function markedBy(state: RunState, layout: MirrorLayout, options: SceneOptions, effects: StepEffects): Set<Item> {
  const marked = new Set<Item>();
  const add = (item: Item | null | undefined) => {
    if (item) marked.add(item);
  };
  const { appearing, waking, landing, changing, seeding, touching, sending } = effects;
  for (const ids of [appearing, landing, changing, seeding, touching]) for (const id of ids) add(layout.items[id]);
  if (waking !== null) add(layout.items[waking]);
  for (const id of sending) add(layout.links[id]?.from);
  const addNode = (node: number) => add(layout.itemOfNode(node));
  const addTensor = (tensor: number) => {
    for (const card of layout.cardsOf(tensor)) add(card);
    add(layout.itemOfTensor(tensor));
  };
  const addTarget = (target: Target | null) => {
    if (target?.type === 'tensor') addTensor(target.tensor);
    if (target && 'node' in target && target.node !== null) addNode(target.node);
  };
  addTarget(options.selection);
  addTarget(options.hover);
  if (options.paused != null) addNode(options.paused);
  for (const node of options.lit?.nodes ?? []) addNode(node);
  for (const tensor of options.lit?.tensors ?? []) addTensor(tensor);
  const { error } = state;
  if (error?.node != null) addNode(error.node);
  for (const node of error?.diagnosis?.nodes ?? []) addNode(node);
  for (const tensor of error?.diagnosis?.tensors ?? []) addTensor(tensor);
  return marked;
}
