// An index of the log, which grows with it: the events about each tensor and each node.

import type { Event } from '../protocol/events';

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

/** Events by the identities that they are about, in order. */
export class Mentions {
  readonly #tensors = new Map<number, Event[]>();
  readonly #nodes = new Map<number, Event[]>();
  readonly #lines = new Map<number, Event[]>();
  #read = 0;

  constructor(readonly events: readonly Event[]) {}

  /** What happened to a tensor up to an event. */
  ofTensor(tensor: number, seq: number): Event[] {
    this.#update();
    return upTo(this.#tensors.get(tensor), seq);
  }

  /** What happened to a node up to an event. */
  ofNode(node: number, seq: number): Event[] {
    this.#update();
    return upTo(this.#nodes.get(node), seq);
  }

  /** What a line of the program did up to an event. */
  ofLine(line: number, seq: number): Event[] {
    this.#update();
    return upTo(this.#lines.get(line), seq);
  }

  #update(): void {
    for (; this.#read < this.events.length; this.#read += 1) {
      const event = this.events[this.#read]!;
      const { tensors, nodes } = mentioned(event);
      for (const tensor of new Set(tensors)) push(this.#tensors, tensor, event);
      for (const node of new Set(nodes)) push(this.#nodes, node, event);
      if (event.line !== null) push(this.#lines, event.line, event);
    }
  }
}

function push(index: Map<number, Event[]>, key: number, event: Event): void {
  const list = index.get(key);
  if (list) list.push(event);
  else index.set(key, [event]);
}

function upTo(events: Event[] | undefined, seq: number): Event[] {
  return events ? events.slice(0, countUpTo(events, seq)) : [];
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
