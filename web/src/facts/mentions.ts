// An index of the log, which grows with it: the events about each tensor and each node.

import type { Event } from '../protocol/events';
import type { EventLog } from '../store/log';

type Named = { tensors: number[]; nodes: number[] };

/** The identities that an event is about. */
export function mentioned(event: Event): Named {
  switch (event.kind) {
    case 'tensor_created':
      return { tensors: [event.info.tensor], nodes: [] };
    case 'tensor_named':
    case 'tensor_kept':
    case 'tensor_mutated':
    case 'requires_grad_changed':
    case 'tensor_released':
    case 'grad_cleared':
    case 'tangent_computed':
      return { tensors: [event.tensor], nodes: [] };
    case 'node_created':
      return { tensors: event.tensor === null ? [] : [event.tensor], nodes: [event.node] };
    case 'grad_accumulated':
      return { tensors: [event.tensor], nodes: [event.node] };
    case 'node_released':
    case 'buffer_freed':
    case 'node_started':
    case 'node_finished':
    case 'saved_tensor_packed':
    case 'saved_tensor_unpacked':
      return { tensors: [], nodes: [event.node] };
    case 'op_applied': {
      const tensors = event.outputs.map((output) => output.tensor);
      for (const input of event.inputs) if (input.tensor !== null) tensors.push(input.tensor);
      for (const saved of event.node?.saved ?? []) if (saved.tensor !== null) tensors.push(saved.tensor);
      return { tensors, nodes: event.node ? [event.node.node] : [] };
    }
    case 'graph_rebased':
      return { tensors: [event.tensor], nodes: [event.node.node] };
    case 'backward_started':
      return { tensors: event.roots, nodes: event.root_nodes };
    case 'gradient_sent':
      return { tensors: [], nodes: [event.node, event.to_node] };
    case 'hook_registered':
    case 'hook_removed':
    case 'hook_ran':
      return { tensors: event.tensor === null ? [] : [event.tensor], nodes: event.node === null ? [] : [event.node] };
    case 'gradient_captured':
      return { tensors: event.tensor === null ? [] : [event.tensor], nodes: [event.node] };
    case 'optimizer_stepped':
      return { tensors: event.updates.map((update) => update.tensor), nodes: [] };
    default:
      return { tensors: [], nodes: [] };
  }
}

/** Events that there is room for at first. */
const FIRST_ROOM = 256;

/**
 * Events by a key, each with a reference to the one before it with the same key: a list for each of hundreds of thousands of
 * keys would take three times the memory.
 */
class Chains {
  readonly #last = new Map<number, number>();
  #events = new Int32Array(FIRST_ROOM);
  #before = new Int32Array(FIRST_ROOM);
  #length = 0;

  /** Adds an event, by its index; one that has this key twice is kept once. */
  push(key: number, event: number): void {
    const before = this.#last.get(key) ?? -1;
    if (before >= 0 && this.#events[before] === event) return;
    if (this.#length === this.#events.length) {
      this.#events = enlarged(this.#events);
      this.#before = enlarged(this.#before);
    }
    this.#events[this.#length] = event;
    this.#before[this.#length] = before;
    this.#last.set(key, this.#length);
    this.#length += 1;
  }

  /** The indices of the events with a key up to one, the last first. */
  *back(key: number, last: number): Generator<number> {
    for (let at = this.#last.get(key) ?? -1; at >= 0; at = this.#before[at]!) {
      if (this.#events[at]! <= last) yield this.#events[at]!;
    }
  }
}

function enlarged(list: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * list.length);
  larger.set(list);
  return larger;
}

/** Events by the identities that they are about, in order. */
export class Mentions {
  readonly #tensors = new Chains();
  readonly #nodes = new Chains();
  readonly #lines = new Chains();
  #read = 0;

  constructor(readonly log: EventLog) {}

  /** What happened to a tensor up to an event. */
  ofTensor(tensor: number, seq: number): Event[] {
    return this.#upTo(this.#tensors, tensor, seq);
  }

  /** What happened to a tensor up to an event, the last first. */
  *lastOfTensor(tensor: number, seq: number): Generator<Event> {
    this.update();
    for (const index of this.#tensors.back(tensor, seq)) yield this.log.at(index)!;
  }

  /** What happened to a node up to an event. */
  ofNode(node: number, seq: number): Event[] {
    return this.#upTo(this.#nodes, node, seq);
  }

  /** What a line of the program did up to an event. */
  ofLine(line: number, seq: number): Event[] {
    return this.#upTo(this.#lines, line, seq);
  }

  #upTo(chains: Chains, key: number, seq: number): Event[] {
    this.update();
    // A seq is an index. What came later is not looked at: a weight may be in events by the hundred thousand.
    return Array.from(chains.back(key, seq), (index) => this.log.at(index)!).reverse();
  }

  /** Takes the events that came since. */
  update(): void {
    for (; this.#read < this.log.length; this.#read += 1) {
      const event = this.log.at(this.#read)!;
      const { tensors, nodes } = mentioned(event);
      for (const tensor of tensors) this.#tensors.push(tensor, this.#read);
      for (const node of nodes) this.#nodes.push(node, this.#read);
      if (event.line !== null) this.#lines.push(event.line, this.#read);
    }
  }
}

/** How many of some events, in order, have happened by event `seq`. */
export function countUpTo(events: readonly { seq: number }[], seq: number): number {
  let low = 0;
  let high = events.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (events[middle]!.seq <= seq) low = middle + 1;
    else high = middle;
  }
  return low;
}
