// The tree of what an element of a gradient comes from, as far as it was fetched, and the rows of its table.

import type { Arrival, Share, TensorElement, TracedElement } from '../protocol/events';

/** An element of what arrives at an output of a node in a pass. */
export type Place = { call: number; node: number; output: number; element: readonly number[] };

/** One pass whose gradient is a summand of the whole: what it added, where that is known. */
export type Pass = { call: number; node: number; output: number; added: TensorElement | null; seq: number };

export type Row = {
  /** The row's place in the tree, the same however much of it is open. */
  id: string;
  level: number;
  /** What to ask for to open it, or what opens: null for a row without more behind it. */
  place: Place | null;
  open: boolean;
  amount: TensorElement | null;
} & (
  | { kind: 'pass'; pass: Pass }
  /** What is sent along one edge, of which the shares are rows of their own. */
  | { kind: 'sum'; call: number; arrival: Arrival & { node: number }; count: number }
  /** What one element gives; `alone` where it is all that is sent along the edge. */
  | { kind: 'share'; call: number; arrival: Arrival & { node: number }; share: Share; alone: boolean }
  | { kind: 'rest'; count: number }
  | { kind: 'given'; call: number }
  | { kind: 'hooks'; hooks: string[]; before: TensorElement; after: TensorElement; call: number; node: number }
  | { kind: 'words'; text: string }
);

/** An edge that a followed element takes, what it brings of it, and what has come together where it leads. */
export type Step = {
  node: number;
  inputNr: number;
  sent: TensorElement;
  element: readonly number[];
  to: { node: number; output: number; value: TensorElement };
};

export function keyOf({ call, node, output, element }: Place): string {
  return `${call}:${node}:${output}:${element.join(',')}`;
}

export function same(a: TensorElement, b: TensorElement): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** The tree of one element: what is known of places, and which rows are open. */
export class Tree {
  readonly #known = new Map<string, TracedElement>();
  readonly #open = new Set<string>();

  constructor(
    readonly element: readonly number[],
    readonly passes: readonly Pass[],
  ) {}

  place(pass: Pass): Place {
    return { call: pass.call, node: pass.node, output: pass.output, element: this.element };
  }

  known(place: Place): TracedElement | undefined {
    return this.#known.get(keyOf(place));
  }

  /** The followed element of what a node sent for one of its inputs, with what it is the sum of; null where it is not known. */
  sentBy(node: number, inputNr: number, call: number): { element: readonly number[]; arrival: Arrival } | null {
    for (const [key, { element, arrivals }] of this.#known) {
      const arrival =
        key.startsWith(`${call}:`) && arrivals.find((one) => one.node === node && one.input_nr === inputNr);
      if (arrival) return { element, arrival };
    }
    return null;
  }

  /** The followed element of the result of a node's op; null where the way does not lead through it. */
  elementOf(node: number): readonly number[] | null {
    for (const place of this.#known.values()) if (place.node === node && place.output_nr === 0) return place.element;
    return null;
  }

  /** Takes an answer. */
  add(call: number, path: readonly TracedElement[]): void {
    for (const found of path) {
      this.#known.set(keyOf({ call, node: found.node, output: found.output_nr, element: found.element }), found);
    }
  }

  setOpen(id: string, open: boolean): void {
    if (open) this.#open.add(id);
    else this.#open.delete(id);
  }

  /** Opens a row and, below it, what gives most, as far as that is known. */
  openPath(id: string): void {
    let at: string | null = id;
    while (at !== null) {
      this.#open.add(at);
      const rows = this.rows();
      const index = rows.findIndex((row) => row.id === at);
      const here = rows[index];
      if (!here) return;
      const below: Row[] = rows.slice(index + 1).filter((row) => row.id.startsWith(`${here.id}/`) && !row.open);
      const next: Row | undefined = largest(below.filter((row) => row.place !== null || row.kind === 'sum'));
      at = next && (next.kind === 'sum' || (next.place !== null && this.known(next.place))) ? next.id : null;
    }
  }

  /** The rows that are to be seen. */
  rows(): Row[] {
    const rows: Row[] = [];
    for (const pass of this.passes) {
      const id = `p${pass.call}`;
      const place = this.place(pass);
      const open = this.#open.has(id);
      rows.push({
        id,
        level: 1,
        kind: 'pass',
        pass,
        place,
        open,
        amount: pass.added ?? this.known(place)?.value ?? null,
      });
      if (open) this.#below(rows, id, place, 2);
    }
    return rows;
  }

  #below(rows: Row[], id: string, place: Place, level: number): void {
    const found = this.known(place);
    if (!found) return;
    const { call } = place;
    if (!same(found.arrived, found.value)) {
      const { hooks, arrived, value, node } = found;
      rows.push({
        id: `${id}/h`,
        level,
        kind: 'hooks',
        hooks,
        before: arrived,
        after: value,
        call,
        node,
        place: null,
        open: false,
        amount: value,
      });
    }
    found.arrivals.forEach((arrival, i) => {
      const own = `${id}/${i}`;
      const { node, shares, more, sent } = arrival;
      const none = { place: null, open: false };
      if (node === null) {
        rows.push({ ...none, id: own, level, kind: 'given', call, amount: sent });
        return;
      }
      const from = { ...arrival, node };
      if (shares.length === 1 && more === 0) {
        this.#share(rows, own, level, call, from, shares[0]!, true);
      } else if (shares.length === 0) {
        const open = this.#open.has(own);
        rows.push({ id: own, level, kind: 'sum', call, arrival: from, count: 0, place: null, open, amount: sent });
      } else {
        const open = this.#open.has(own);
        const count = shares.length + more;
        rows.push({ id: own, level, kind: 'sum', call, arrival: from, count, place: null, open, amount: sent });
        if (open) {
          for (const [k, share] of shares.entries())
            this.#share(rows, `${own}/${k}`, level + 1, call, from, share, false);
          if (more > 0)
            rows.push({ ...none, id: `${own}/r`, level: level + 1, kind: 'rest', count: more, amount: arrival.rest });
        }
      }
      if (arrival.made !== null && !same(arrival.made, sent)) {
        rows.push({
          ...none,
          id: `${own}/m`,
          level,
          kind: 'hooks',
          hooks: [],
          before: arrival.made,
          after: sent,
          call,
          node,
          amount: sent,
        });
      }
      if (arrival.why) rows.push({ ...none, id: `${own}/w`, level, kind: 'words', text: arrival.why, amount: null });
    });
  }

  #share(
    rows: Row[],
    id: string,
    level: number,
    call: number,
    arrival: Arrival & { node: number },
    share: Share,
    alone: boolean,
  ): void {
    const place = { call, node: arrival.node, output: share.output_nr, element: share.element };
    const open = this.#open.has(id);
    const amount = share.amount;
    rows.push({ id, level, kind: 'share', call, arrival, share, alone, place, open, amount });
    const branches = (this.known(place)?.arrivals.length ?? 0) > 1;
    // A chain without branches is read downwards, not to the right.
    if (open) this.#below(rows, id, place, branches || !alone ? level + 1 : level);
  }

  /** The edges from a row back to the element that was asked for, and on along what gives most, as far as it is known. */
  trail(id: string): Step[] {
    const steps: Step[] = [];
    let at: Place | null = null;
    for (const pass of this.passes) {
      const top = `p${pass.call}`;
      if (id !== top && !id.startsWith(`${top}/`)) continue;
      at = this.place(pass);
      const parts = id.slice(top.length).split('/').filter(Boolean);
      while (parts.length > 0) {
        const found: TracedElement | undefined = this.known(at!);
        const arrival: Arrival | undefined = found?.arrivals[Number(parts.shift())];
        if (!found || !arrival || arrival.node === null) return steps;
        const alone = arrival.shares.length === 1 && arrival.more === 0;
        const k: number = alone ? 0 : Number(parts.shift() ?? 0);
        const share: Share | undefined = arrival.shares[Number.isNaN(k) ? 0 : k];
        steps.push(step(found, arrival, arrival.node));
        if (!share) return steps;
        at = { call: pass.call, node: arrival.node, output: share.output_nr, element: share.element };
      }
    }
    while (at) {
      const found: TracedElement | undefined = this.known(at);
      const arrival: Arrival | undefined = found && largestArrival(found);
      if (!found || !arrival || arrival.node === null) break;
      steps.push(step(found, arrival, arrival.node));
      const share: Share | undefined = arrival.shares[0];
      at = share ? { call: at.call, node: arrival.node, output: share.output_nr, element: share.element } : null;
    }
    return steps;
  }
}

function step(found: TracedElement, arrival: Arrival, node: number): Step {
  const to = { node: found.node, output: found.output_nr, value: found.value };
  return { node, inputNr: arrival.input_nr, sent: arrival.sent, element: found.element, to };
}

/** How much a number counts for: what is not finite before all that is. */
function weight(value: TensorElement | null): number {
  if (value === null) return -1;
  if (Array.isArray(value)) return Math.max(...value.map((part) => weight(part)));
  return typeof value === 'number' ? Math.abs(value) : Number.POSITIVE_INFINITY;
}

function largest(rows: Row[]): Row | undefined {
  let best: Row | undefined;
  for (const row of rows) if (!best || weight(row.amount) > weight(best.amount)) best = row;
  return best;
}

function largestArrival(found: TracedElement): Arrival | undefined {
  let best: Arrival | undefined;
  for (const arrival of found.arrivals) {
    if (arrival.node !== null && (!best || weight(arrival.sent) > weight(best.sent))) best = arrival;
  }
  return best;
}
