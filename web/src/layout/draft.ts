// A chunk in the making: the items and links that the next stretch of the program brings.

import type { Event, GraphRebased, NodeInfo, OpApplied, TensorInfo } from '../protocol/events';
import { heldOutputs } from '../protocol/outputs';
import { type Item, type Link, link, newItem } from './graph';
import type { Group, Grouping } from './group/group';
import { PORTION } from './pace/slices';
import { isWithin, moduleOf } from './program/place';

/** Where a tensor comes from: an item and the number of its output. */
export type Home = { item: Item; output: number };

/** What drafts share: where tensors and nodes were placed so far. */
export type Homes = {
  tensors: Map<number, Home>;
  nodes: Map<number, Item>;
  leafOfNode: Map<number, number>;
  /** Tensors that exist and have not been used: they are placed beside their first use. */
  waiting: Map<number, { seq: number; info: TensorInfo }>;
  /** Views whose grad_fn was replaced and that have not been used since. */
  rebased: Map<number, GraphRebased>;
  requiresGrad(tensor: number): boolean;
  columnOf(item: Item): number;
};

/** Rows that an edge may span before its tensor is shown again near its user. */
const LEAF_SPAN = 8;
const TRUNK_SPAN = 20;

/** The links from each item to those that use it. */
type Uses = ReadonlyMap<Item, readonly Link[]>;

export class Draft {
  items: Item[] = [];
  readonly #own = new Set<Item>();
  readonly #again = new Map<number, Item>();

  constructor(
    readonly homes: Homes,
    readonly column: number,
    readonly up: boolean,
    readonly call: number | null,
  ) {}

  /** Adds an op with its inputs and outputs; returns its item. */
  apply(event: OpApplied): Item {
    const { node } = event;
    const item = newItem('op', event.seq, event.outputs[0]?.tensor ?? -1);
    item.event = event;
    const held = heldOutputs(event);
    item.outputs = held.map((output) => ({ tensor: output.tensor, x: 0, spread: 0, uses: 0, chars: 0, drop: 0 }));
    const tensors = event.inputs.flatMap((input) => (input.tensor === null ? [] : [input.tensor]));
    const paths = node ? pathsOf(node, tensors, this.homes) : new Map<number, number>();
    const led = new Set<number>();
    tensors.forEach((tensor, i) => {
      const home = this.#home(tensor, event);
      const inputNr = paths.get(i);
      if (inputNr !== undefined) led.add(inputNr);
      link(home.item, home.output, item, inputNr === undefined ? null : node!.node, inputNr ?? -1, true);
    });
    this.#finish(item, event, node, led);
    event.outputs.forEach((output, i) => {
      // What the op computed for its formula alone has no place of its own; what uses it comes from the op.
      this.homes.waiting.delete(output.tensor);
      this.homes.tensors.set(output.tensor, { item, output: Math.min(i, held.length - 1) });
    });
    return item;
  }

  /** Adds the node that an in-place change of its base gave a view as its new grad_fn, now that the view is used. */
  #rebase(event: GraphRebased): void {
    const item = newItem('op', event.seq, event.tensor);
    item.text = 'view';
    this.#finish(item, event, event.node, new Set());
    this.homes.tensors.set(event.tensor, { item, output: 0 });
  }

  /** Adds the new grad_fns of views that the program has names for, though nothing has used the views since. */
  renewNamed(known: { variable(tensor: number): string | null }): void {
    const { rebased, nodes } = this.homes;
    for (const [tensor, event] of [...rebased]) {
      const below = event.node.next_functions[0];
      const from = below ? nodes.get(below.node) : undefined;
      if (known.variable(tensor) === null || !from || !this.#own.has(from)) continue;
      this.#rebase(event);
      rebased.delete(tensor);
    }
  }

  /** Adds a leaf that nothing has used. */
  leave(tensor: number): void {
    this.#home(tensor, null);
  }

  /** Shows tensors again near users that are far below them, so that no edge runs through half the picture. */
  *shorten(grouping: Grouping): Generator<void, void> {
    const uses = new Map<Item, Link[]>();
    for (let i = 0; i < this.items.length; i += 1) {
      if (i % PORTION === 0) yield;
      for (const input of this.items[i]!.inputs) {
        const others = uses.get(input.from);
        if (others) others.push(input);
        else uses.set(input.from, [input]);
      }
    }
    const places = new Map(this.items.map((item, i) => [item, i]));
    const shown = new Map<Item, Item[]>();
    let done = 0;
    for (const [item, links] of uses) {
      done += 1;
      if (done % PORTION === 0) yield;
      if (!this.#own.has(item) || (links.length < 2 && item.kind !== 'op')) continue;
      for (const again of item.outputs.flatMap((_, i) => shownAgain(item, i, links, uses, grouping))) {
        // Before all that use it: of two users that are equally far below, the program may reach either first.
        const user = again.users.reduce((a, b) => (places.get(b)! < places.get(a)! ? b : a));
        const others = shown.get(user);
        if (others) others.push(again.item);
        else shown.set(user, [again.item]);
        this.#own.add(again.item);
      }
    }
    if (shown.size > 0) this.items = this.items.flatMap((item) => [...(shown.get(item) ?? []), item]);
  }

  #finish(item: Item, event: Event, node: NodeInfo | null, led: ReadonlySet<number>): void {
    if (node) {
      item.node = node.node;
      item.nodeName = node.name;
      item.chips = node.saved.map((saved) => ({ saved, text: '', x: 0, y: 0, width: 0 }));
      node.next_functions.forEach((next, i) => {
        if (!next || led.has(i)) return;
        const home = this.#homeOfNode(next.node, event);
        if (home) link(home.item, Math.min(home.output, home.item.outputs.length - 1), item, node.node, i, true);
      });
      this.homes.nodes.set(node.node, item);
    }
    this.items.push(item);
    this.#own.add(item);
  }

  #homeOfNode(node: number, event: Event): Home | null {
    const leaf = this.homes.leafOfNode.get(node);
    if (leaf !== undefined) return this.#home(leaf, event);
    const item = this.homes.nodes.get(node);
    if (!item || item.outputs.length === 0) return null;
    return item.chunk < 0 && this.#own.has(item) ? { item, output: 0 } : this.#home(item.tensor, event);
  }

  #home(tensor: number, event: Event | null): Home {
    const rebased = this.homes.rebased.get(tensor);
    if (rebased) {
      this.homes.rebased.delete(tensor);
      this.#rebase(rebased);
    }
    const home = this.homes.tensors.get(tensor);
    const waiting = this.homes.waiting.get(tensor);
    if (home && home.item.chunk < 0 && this.#own.has(home.item)) return home;
    const shown = this.#again.get(tensor);
    if (shown) return { item: shown, output: 0 };
    const seq = event?.seq ?? waiting?.seq ?? 0;
    const fresh = !home;
    const isLeaf = fresh || (home.item.kind === 'leaf' && this.homes.columnOf(home.item) !== this.column);
    const item = newItem(isLeaf ? 'leaf' : 'again', fresh && waiting ? waiting.seq : seq, tensor);
    item.requiresGrad = isLeaf && this.homes.requiresGrad(tensor);
    this.items.push(item);
    this.#own.add(item);
    this.#again.set(tensor, item);
    if (fresh) {
      this.homes.waiting.delete(tensor);
      this.homes.tensors.set(tensor, { item, output: 0 });
    }
    return { item, output: 0 };
  }
}

/** A card that shows a tensor again, and what has it from there. */
type Again = { item: Item; users: Item[] };

/** Lets what is far from an item, or in other rounds of a loop, have one of its outputs from where that is shown again. */
function shownAgain(item: Item, output: number, all: readonly Link[], uses: Uses, grouping: Grouping): Again[] {
  const links = all.filter((use) => use.output === output);
  const outside = outsideModule(item, links);
  const inside = outside.length > 0 ? links.filter((use) => use.from === item) : links;
  return [...outside, ...nearer(item, inside, uses, grouping)];
}

function nearer(item: Item, links: readonly Link[], uses: Uses, grouping: Grouping): Again[] {
  const apart = perRound(item, links, uses, grouping);
  const near = apart.length > 0 ? links.filter((use) => use.from === item) : links;
  return [...apart, ...shortenOne(item, near, grouping)];
}

/** Rounds of a loop from which on what an op made before the loop is shown again in each. */
const MOST_ROUNDS = 2;

/** Lets each round of a loop but the first have what they share from where it is shown again in the round. */
function perRound(item: Item, links: readonly Link[], uses: Uses, grouping: Grouping): Again[] {
  const rounds = new Map<Group, Link[]>();
  for (const use of links) {
    const round = grouping.roundOf(use.to);
    if (!round || grouping.holds(round, item)) continue;
    const others = rounds.get(round);
    if (others) others.push(use);
    else rounds.set(round, [use]);
  }
  if (rounds.size < 2 || (item.kind === 'op' && rounds.size <= MOST_ROUNDS)) return [];
  const parts = [...rounds].slice(1);
  const apart = parts.flatMap(([round, into]) => (item.kind === 'op' ? nearby(round, into, uses, grouping) : [into]));
  return apart.map((links) => againFor(item, links));
}

/**
 * Lets ops outside of the module that uses a parameter have it from where it is shown again, if no gradient comes from them: a copy
 * or a norm of a parameter does not move it away from its op.
 */
function outsideModule(item: Item, links: readonly Link[]): Again[] {
  if (!item.requiresGrad) return [];
  const modules = links.filter(({ node }) => node !== null).map(({ to }) => moduleOf(to.place));
  if (modules.length === 0 || modules.includes(null)) return [];
  const isOutside = ({ node, to }: Link) => node === null && !modules.some((module) => isWithin(to.place, module!));
  const outside = links.filter(isOutside);
  if (outside.length === 0) return [];
  item.outputs[0]!.uses -= outside.length;
  return [againFor(item, outside)];
}

/** Shows an item again for what these links lead to. */
function againFor(item: Item, links: readonly Link[]): Again {
  const { tensor } = item.outputs[links[0]!.output]!;
  const again = {
    item: newItem('again', Math.min(...links.map(({ to }) => to.seq)), tensor),
    users: links.map(({ to }) => to),
  };
  for (const use of links) {
    use.from = again.item;
    use.output = 0;
  }
  again.item.outputs[0]!.uses = links.length;
  return again;
}

/** Links into a round, divided so that the users of each part are near each other. */
function nearby(round: Group, links: readonly Link[], uses: Uses, grouping: Grouping): Link[][] {
  const rows = links.map((use) => ({ use, row: rowOf(use.to, round, uses, grouping) })).sort((a, b) => a.row - b.row);
  const parts: Link[][] = [];
  let begin = Number.NEGATIVE_INFINITY;
  for (const { use, row } of rows) {
    if (row - begin > LEAF_SPAN) {
      begin = row - 2;
      parts.push([]);
    }
    parts.at(-1)!.push(use);
  }
  return parts;
}

/** The row that an op of a round will have: one that gets all from outside is right above its first user, as a leaf is. */
function rowOf(op: Item, round: Group, uses: Uses, grouping: Grouping): number {
  const row = grouping.rowIn(round, op);
  if (op.inputs.some(({ from }) => from.kind === 'op' && grouping.holds(round, from))) return row;
  const after = (uses.get(op) ?? []).filter(({ to }) => grouping.holds(round, to));
  return after.length > 0 ? Math.max(row, Math.min(...after.map(({ to }) => grouping.rowIn(round, to))) - 2) : row;
}

/** Lets the users of an item that are far below it have it from where it is shown again. */
function shortenOne(item: Item, uses: readonly Link[], grouping: Grouping): Again[] {
  const near = item.kind === 'op' ? TRUNK_SPAN : LEAF_SPAN;
  if (uses.length === 0) return [];
  const spans = uses.map((use) => ({ use, span: grouping.span(use) })).sort((a, b) => a.span - b.span);
  const made: Again[] = [];
  let begin = item.kind === 'op' ? 0 : spans[0]!.span - 2;
  for (const { use, span } of spans) {
    if (span - begin > near) {
      begin = span - 2;
      made.push({ item: newItem('again', use.to.seq, item.outputs[use.output]!.tensor), users: [] });
    }
    const shown = made.at(-1);
    if (!shown) continue;
    use.from = shown.item;
    use.output = 0;
    shown.users.push(use.to);
    shown.item.outputs[0]!.uses += 1;
  }
  return made;
}

/** Which entry of `next_functions` leads to which tensor input: that at its position if it fits, else any that does. */
function pathsOf(node: NodeInfo, tensors: readonly number[], homes: Homes): Map<number, number> {
  const paths = new Map<number, number>();
  const { next_functions: next } = node;
  const taken = new Set<number>();
  tensors.forEach((tensor, i) => {
    const source = homes.rebased.get(tensor)?.node.node ?? homes.tensors.get(tensor)?.item.node ?? null;
    const leads = (k: number) => {
      const edge = next[k];
      if (!edge || taken.has(k)) return false;
      return edge.node === source || homes.leafOfNode.get(edge.node) === tensor;
    };
    const found = leads(i) ? i : next.findIndex((_, k) => leads(k));
    if (found < 0) return;
    taken.add(found);
    paths.set(i, found);
  });
  return paths;
}
