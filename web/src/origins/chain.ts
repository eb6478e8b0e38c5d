// The chain from a value that is not finite back through the ops that passed it on to the op that made it, read from the log.

import { unravel } from '../facts/elements';
import * as say from '../messages/origins';
import type { Event, OpApplied, Summary, TensorElement } from '../protocol/events';
import type { Events } from '../store/log';
import type { History } from '../timeline/history';
import { elementOf } from './passes';

/** An element of a tensor as an op found it; `element` and `value` are null where the log has too few elements. */
export type Source = {
  name: string;
  tensor: number;
  element: readonly number[] | null;
  value: TensorElement | null;
  bad: boolean;
  /** How many elements of the tensor are not finite and may have been passed on. */
  among: number;
};

export type Link = {
  tensor: number;
  element: readonly number[] | null;
  value: TensorElement | null;
  /** What gave it the value, and when. */
  by: string;
  seq: number;
  line: number | null;
  /** The node of that op, and its arguments that count here. */
  node: number | null;
  sources: Source[];
  /** Numbers among the arguments. */
  constants: { name: string; text: string }[];
  /** The leaf whose `.grad` brought it, by an optimizer. */
  grad: number | null;
};

export type Chain = { links: Link[]; more: boolean };

const MOST = 100;

export function isBad(value: TensorElement | null): boolean {
  if (Array.isArray(value)) return value.some((part) => typeof part === 'string');
  return typeof value === 'string';
}

function countBad(summary: Summary): number {
  return summary.nan_count + summary.inf_count;
}

/** The place in a tensor that is broadcast to a place in the result. */
export function broadcastPlace(element: readonly number[], dims: readonly number[]): number[] | null {
  if (dims.length > element.length) return null;
  const lead = element.length - dims.length;
  return dims.map((size, dim) => (size === 1 ? 0 : element[lead + dim]!));
}

/** The first element that is not finite, one that is NaN before others for a NaN; null where the log does not have it. */
export function firstBad(summary: Summary, like: TensorElement | null = null): number[] | null {
  const holdsNaN = (value: TensorElement) => JSON.stringify(value).includes('NaN');
  const wanted = like !== null && holdsNaN(like);
  let at = wanted ? summary.values.findIndex(holdsNaN) : -1;
  if (at < 0) at = summary.values.findIndex((value) => isBad(value));
  return at < 0 ? null : unravel(at, summary.shape);
}

/** The ops that each element of their result takes from the elements at its place. */
export type Elementwise = ReadonlySet<string>;

/**
 * The way of a value that is not finite, from element `element` of a tensor after event `seq` to where it was made.  In the
 * last link no source is bad.
 */
export function chainOf(
  history: History,
  events: Events,
  elementwise: Elementwise,
  tensor: number,
  element: readonly number[] | null,
  seq: number,
): Chain {
  const links: Link[] = [];
  let at: { tensor: number; element: readonly number[] | null; seq: number } | null = { tensor, element, seq };
  while (at && links.length < MOST) {
    const link = linkOf(history, events, elementwise, at.tensor, at.element, at.seq);
    if (!link) break;
    links.push(link);
    const next = link.sources.find((source) => source.bad);
    at = next ? { tensor: next.tensor, element: next.element, seq: link.seq - 1 } : null;
  }
  return { links, more: at !== null && links.length === MOST };
}

function linkOf(
  history: History,
  events: Events,
  elementwise: Elementwise,
  tensor: number,
  element: readonly number[] | null,
  seq: number,
): Link | null {
  const known = history.tensors.get(tensor);
  const summary = known?.values.at(seq);
  if (!known || !summary) return null;
  const when = known.values.seqs[known.values.count(seq) - 1]!;
  const value = element && elementOf(summary, element);
  const event = makerOf(events, when, tensor);
  const link: Link = {
    tensor,
    element,
    value,
    by: known.origin,
    seq: when,
    line: event.line ?? known.line,
    node: null,
    sources: [],
    constants: [],
    grad: null,
  };
  if (event.kind === 'op_applied') return withSources(link, event, history, elementwise);
  if (event.kind === 'tensor_mutated') link.by = event.op;
  if (event.kind === 'optimizer_stepped') {
    link.by = `${event.optimizer}.step`;
    const update = event.updates.find((one) => one.tensor === tensor);
    if (update?.grad && countBad(update.grad) > 0) link.grad = tensor;
    if (update && countBad(update.before) > 0)
      link.sources.push(source(say.itselfBefore, tensor, update.before, element, 1));
  }
  return link;
}

/** The event that gave a tensor its value; a change in place comes right after the op that made it. */
function makerOf(events: Events, seq: number, tensor: number): Event {
  const event = events.at(seq)!;
  if (event.kind !== 'tensor_mutated') return event;
  for (let i = seq - 1; i >= Math.max(0, seq - 8); i -= 1) {
    const before = events.at(i)!;
    if (before.kind === 'op_applied' && before.in_place && before.outputs.some((output) => output.tensor === tensor))
      return before;
    if (before.kind === 'op_applied') break;
  }
  return event;
}

function withSources(link: Link, event: OpApplied, history: History, elementwise: Elementwise): Link {
  const isPlaced = elementwise.has(event.op.replace(/_$/, ''));
  for (const input of event.inputs) {
    if (input.tensor === null) {
      if (input.text !== null && input.text !== 'None') link.constants.push({ name: input.name, text: input.text });
      continue;
    }
    const found = history.tensors.get(input.tensor)?.values.at(event.seq - 1);
    if (!found) continue;
    if (isPlaced && link.element) {
      link.sources.push(source(input.name, input.tensor, found, broadcastPlace(link.element, found.shape), 1));
    } else {
      const among = countBad(found);
      link.sources.push(source(input.name, input.tensor, found, firstBad(found, link.value), among));
    }
  }
  // Of the two that where() is given only the chosen one is passed on.
  const condition = link.sources.find(({ name }) => name === 'condition')?.value;
  const ignored =
    event.op === 'where' && condition !== undefined && condition !== null ? (condition ? 'other' : 'self') : '';
  for (const one of link.sources) if (one.name === ignored) one.bad = false;
  return { ...link, by: event.op, seq: event.seq, line: event.line, node: event.node?.node ?? null };
}

function source(
  name: string,
  tensor: number,
  summary: Summary,
  element: readonly number[] | null,
  among: number,
): Source {
  const value = element && elementOf(summary, element);
  // Of a tensor that is too large to be in the log in full it is known that it holds some, not where.
  const bad = value === null ? countBad(summary) > 0 : isBad(value);
  return {
    name,
    tensor,
    element: value === null ? null : element,
    value,
    bad,
    among: value === null ? countBad(summary) : among,
  };
}
