// What a run is noticed to have done, from its log alone.

import type { EventLog } from '../store/log';
import type { FirstNans } from '../timeline/first-nan';
import type { History } from '../timeline/history';
import { Clearing, type Stale } from './clearing';
import { IdleOptimizers } from './idle-steps';
import { Names } from './names';
import { cutOf, type NoEffect, type NotCleared, type Note, type NotFinite, type NotReached } from './note';
import { Onsets } from './onset';
import { Reach, type Unreached } from './reach';

/** Events between two places at which the work may be put off. */
const SLICE = 512;

/** The kinds of events that are read. */
const READ = [
  'module_described',
  'tensor_created',
  'op_applied',
  'tensor_mutated',
  'tensor_released',
  'transform_entered',
  'backward_started',
  'backward_finished',
  'grad_accumulated',
  'gradient_captured',
  'optimizer_stepped',
] as const;

/** The notes on a finished run, those that spoil more of it first: one for each fact. */
export function* noticed(log: EventLog, history: History, nans: FirstNans): Generator<void, Note[]> {
  const clearing = new Clearing(history);
  const idle = new IdleOptimizers(history);
  const reach = new Reach(history);
  const onsets = new Onsets(log, history, nans);
  let read = 0;
  for (const event of log.of(READ)) {
    if (read % SLICE === 0) yield;
    read += 1;
    clearing.take(event);
    idle.take(event);
    reach.take(event);
    onsets.take(event);
  }
  const names = new Names(history);
  const unreached = yield* reach.found();
  const pass = reach.pass;
  const missed = pass === null ? [] : notReached(unreached, { pass, known: log.length - 1 }, names);
  const rest = [...notFinite(onsets), ...noEffect(idle), ...notCleared(clearing.found, history, names)];
  return [...rest.sort((a, b) => a.seq - b.seq), ...missed];
}

/** The first time, with all leaves of which it is as true. */
function notCleared(found: readonly Stale[], history: History, names: Names): NotCleared[] {
  const [first] = [...found].sort((a, b) => a.to.seq - b.to.seq);
  if (!first) return [];
  const { from, to, added } = first;
  const isAlike = (one: Stale) =>
    one.from.number === from.number &&
    one.to.number === to.number &&
    one.from.optimizer === from.optimizer &&
    one.to.optimizer === to.optimizer;
  const tensors = [...new Set(found.filter(isAlike).map(({ tensor }) => tensor))];
  const line = history.calls.find(({ event }) => event.call === added.call)?.event.line ?? null;
  return [{ kind: 'notCleared', names: names.ofAll(tensors), from, to, seq: added.seq, known: to.seq, line, tensors }];
}

/** A note for each cause. */
function notReached(
  found: readonly Unreached[],
  { pass, known }: { pass: number; known: number },
  names: Names,
): NotReached[] {
  const groups = new Map<string | number | null, Unreached[]>();
  for (const one of found) {
    const { cause } = one;
    const key = typeof cause === 'string' ? cause : (cutOf(cause)?.seq ?? null);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()].map((group) => {
    const { cause } = group[0]!;
    const tensors = group.map(({ tensor }) => tensor);
    const cut = cutOf(cause);
    return {
      kind: 'notReached',
      names: names.ofAll(tensors),
      cause,
      seq: cut?.seq ?? pass,
      known,
      line: cut?.line ?? null,
      tensors,
    };
  });
}

function noEffect(idle: IdleOptimizers): NoEffect[] {
  return idle.found.map(({ optimizer, steps, of, idle: reason }) => {
    const first = steps[0]!;
    const tensors = [...first.updates.map(({ tensor }) => tensor), ...first.unchanged];
    const numbers = steps.map(({ number }) => number);
    return {
      kind: 'noEffect',
      optimizer,
      numbers,
      of,
      idle: reason,
      seq: first.seq,
      known: steps.at(-1)!.seq,
      line: first.line,
      tensors,
    };
  });
}

function notFinite(onsets: Onsets): NotFinite[] {
  const { found } = onsets;
  if (!found) return [];
  const { event, onset, tensor, line } = found;
  const { seq } = event;
  const tensors = tensor === null ? [] : [tensor];
  return [
    {
      kind: 'notFinite',
      onset,
      seq,
      known: seq,
      line,
      tensors,
      nodes: event.kind === 'gradient_sent' ? [event.node] : [],
    },
  ];
}
