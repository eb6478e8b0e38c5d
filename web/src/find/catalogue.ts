// The catalogue of the search: a row for each thing that the layout placed, with the texts by which readers look for it.

import { nameOf } from '../format/op-name';
import type { Item } from '../layout/graph';
import type { MirrorLayout } from '../layout/mirror';
import { moduleOf } from '../layout/program/place';
import type { OpApplied } from '../protocol/events';
import type { NodeHistory } from '../timeline/histories';
import type { History } from '../timeline/history';

/** The texts of one item; equal texts are one string, so that each is compared once. */
export type Row = {
  readonly item: Item;
  /** The op by its names, or `leaf`, and the name of the node; empty where nothing is recorded. */
  readonly op: string;
  readonly grad: string;
  /** Node numbers: its own, or that of a leaf's AccumulateGrad. */
  readonly node: number | null;
  /** The module that it ran in. */
  readonly module: string;
  /** Variables, and parameters by their path. */
  readonly names: readonly string[];
  /** The shapes of its results, as `64x128`; empty for a scalar. */
  readonly shapes: readonly string[];
  readonly line: number | null;
};

/** Rows are made this many at a time. */
const AT_ONCE = 64;
/** Nodes are looked through this many at a time. */
const NODES_AT_ONCE = 4096;
const NONE: readonly string[] = [];

/** The rows of a layout in the order of the program; it grows with the layout. */
export class Catalogue {
  readonly rows: Row[] = [];
  readonly #texts = new Map<string, string>();
  #parameters: ReadonlyMap<number, readonly string[]> = new Map();
  /** The AccumulateGrad of each leaf. */
  readonly #accumulators = new Map<number, number>();
  readonly #nodes: Iterator<NodeHistory>;
  #nodesRead = 0;
  #read = 0;

  constructor(
    readonly layout: MirrorLayout,
    readonly history: History,
  ) {
    this.#nodes = history.nodes.values();
  }

  /** Takes what came since; yields between stretches of it, where another may go on with the same work. */
  *grow(): Generator<void, void> {
    this.#parameters = this.history.whereabouts.parameterPaths();
    const { nodes } = this.history;
    while (this.#nodesRead < nodes.size) {
      const end = Math.min(nodes.size, this.#nodesRead + NODES_AT_ONCE);
      for (; this.#nodesRead < end; this.#nodesRead += 1) {
        const { node, leaf } = this.#nodes.next().value;
        if (leaf !== null) this.#accumulators.set(leaf, node);
      }
      yield;
    }
    const { items } = this.layout;
    while (this.#read < items.length) {
      const end = Math.min(items.length, this.#read + AT_ONCE);
      for (; this.#read < end; this.#read += 1) {
        const item = items[this.#read]!;
        // What is shown again is found where it is.
        if (item.kind !== 'again') this.rows.push(this.#row(item));
      }
      yield;
    }
  }

  /** The AccumulateGrad of a leaf; null before its first use. */
  accumulatorOf(item: Item): number | null {
    return item.kind === 'op' ? null : (this.#accumulators.get(item.tensor) ?? null);
  }

  /** What the results of an item are called so far. */
  namesOf(item: Item): readonly string[] {
    let names: string[] | null = null;
    for (const { tensor } of item.outputs) {
      for (const known of [this.history.tensors.get(tensor)?.names.entries, this.#parameters.get(tensor)]) {
        for (const name of known ?? NONE) {
          names ??= [];
          if (!names.includes(name)) names.push(name);
        }
      }
    }
    return names ?? NONE;
  }

  #row(item: Item): Row {
    const tensors = item.outputs.map(({ tensor }) => this.history.tensors.get(tensor));
    const catalogue = this;
    return {
      item,
      op: item.event ? this.#text(opNames(item.event)) : 'leaf',
      // A name, or the node of a leaf, may come after the item was placed.
      get grad() {
        return catalogue.accumulatorOf(item) === null ? item.nodeName : 'AccumulateGrad';
      },
      get node() {
        return catalogue.accumulatorOf(item) ?? item.node;
      },
      get names() {
        return catalogue.namesOf(item);
      },
      module: moduleOf(item.place)?.event.path ?? '',
      shapes: tensors.flatMap((tensor) =>
        tensor ? [this.#text(tensor.values.entries[0]?.shape.join('x') ?? '')] : [],
      ),
      line: item.event?.line ?? tensors[0]?.line ?? null,
    };
  }

  #text(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    this.#texts.set(text, text);
    return text;
  }
}

/** What the reader calls an op, and after it what the engine does where that differs. */
function opNames({ op, inputs }: OpApplied): string {
  const name = nameOf(op, inputs);
  return name === op ? name : `${name} ${op}`;
}
