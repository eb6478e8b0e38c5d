// Finds what may look different at another moment in a graph seen from afar, from the events between the two.

import type { Item, Link } from '../layout/graph';
import type { MirrorLayout } from '../layout/mirror';
import type { Column } from '../layout/placed';
import type { RunState } from '../timeline/state';

/** So many events between two moments are looked at one by one; farther apart, all is looked at again. */
export const MOST_EVENTS = 1000;

const CHANGING = [
  'node_started',
  'gradient_sent',
  'grad_accumulated',
  'grad_cleared',
  'tensor_mutated',
  'optimizer_stepped',
] as const;

/** Items and edges that a gradient may have come to, and columns in which a new backward pass began. */
export type Changes = { items: Set<Item>; links: Set<Link>; columns: Column[] };

/** What may have changed between an event and a state, whichever is later. */
export function changesSince(seq: number, state: RunState, layout: MirrorLayout): Changes {
  const [first, last] = [Math.min(seq, state.seq) + 1, Math.max(seq, state.seq)];
  const items = new Set<Item>();
  const links = new Set<Link>();
  const leaf = (tensor: number) => {
    for (const card of layout.cardsOf(tensor)) items.add(card);
  };
  for (const event of layout.log.of(CHANGING, first, last + 1)) {
    if (event.kind === 'node_started') {
      const item = layout.itemOfNode(event.node);
      if (item) items.add(item);
    } else if (event.kind === 'gradient_sent') {
      const link = layout.linkOf(event.node, event.input_nr);
      if (link) links.add(link);
    } else if (event.kind === 'grad_accumulated' || event.kind === 'grad_cleared') leaf(event.tensor);
    else if (event.kind === 'tensor_mutated') state.history.gradients.changedBy(event.seq).forEach(leaf);
    else if (event.kind === 'optimizer_stepped') for (const { tensor } of event.updates) leaf(tensor);
  }
  const columns = layout.columns.filter(({ calls }) => calls.at(first - 1) !== calls.at(last));
  return { items, links, columns };
}

/** The items of a layout in the order in which they are reached. */
const orders = new WeakMap<MirrorLayout, Item[]>();

/** The items that are there at one of two events and not at the other. */
export function appearingBetween(a: number, b: number, layout: MirrorLayout): Item[] {
  let order = orders.get(layout);
  if (order?.length !== layout.items.length) {
    order = layout.items.toSorted((one, other) => one.seq - other.seq);
    orders.set(layout, order);
  }
  const [first, last] = [Math.min(a, b), Math.max(a, b)];
  let from = 0;
  for (let to = order.length; from < to; ) {
    const middle = (from + to) >> 1;
    if (order[middle]!.seq <= first) from = middle + 1;
    else to = middle;
  }
  let to = from;
  while (to < order.length && order[to]!.seq <= last) to += 1;
  return order.slice(from, to);
}
