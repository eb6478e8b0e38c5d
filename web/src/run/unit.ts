// Units of stepping and playing: one step, all steps in one call of a module or function, or all in one round of a loop.

import type { OpApplied } from '../protocol/events';
import type { History } from '../timeline/history';
import { type Round, stepOf } from '../timeline/module-calls';
import type { Moment } from '../timeline/moments';
import type { Timeline } from '../timeline/timeline';

export const UNITS = ['node', 'module', 'round'] as const;
export type Unit = (typeof UNITS)[number];

/** The units in which a run can be stepped: modules or functions, and rounds, only where it has several. */
export function unitsOf({ history: { whereabouts } }: Timeline): Unit[] {
  const { calls, functions, loops } = whereabouts;
  const rounds = [...loops.values()].some(({ rounds }) => rounds.entries.length > 1);
  return UNITS.filter((unit) => unit === 'node' || (unit === 'round' ? rounds : calls.size + functions.size > 1));
}

/**
 * The moment at which the next unit after a cursor ends, or the previous one before it; -1 before the first. Steps that lie in
 * no unit, as the arrival of a gradient at a leaf, go with the one before.
 */
export function unitEnd(timeline: Timeline, cursor: number, unit: Unit, by: 1 | -1): number {
  const { moments, history } = timeline;
  const last = moments.length - 1;
  if (unit === 'node') return Math.max(-1, Math.min(last, cursor + by));
  const keyAt = (index: number) => keyOf(moments[index]!, unit, history);
  let at = cursor;
  if (by === 1) {
    let key: unknown;
    for (; at < last; at += 1) {
      const next = keyAt(at + 1);
      if (next !== undefined && key !== undefined && next !== key) break;
      key ??= next;
    }
    return at;
  }
  let key: unknown;
  for (; at >= 0; at -= 1) {
    const here = keyAt(at);
    if (here === undefined) continue;
    if (key !== undefined && here !== key) break;
    key = here;
  }
  return at < 0 ? -1 : withTail(at, cursor, keyAt);
}

/** The last of the moments from one on that lie in no unit, before another one. */
function withTail(from: number, before: number, keyAt: (index: number) => unknown): number {
  let at = from;
  while (at + 1 < before && keyAt(at + 1) === undefined) at += 1;
  return at;
}

/** What is the same for all moments of one unit; undefined where a moment belongs to none. */
function keyOf(moment: Moment, unit: Unit, history: History): unknown {
  const { kind, first, last, phase } = moment;
  if (kind === 'error_raised' || kind === 'program_finished') return kind;
  if (kind === 'backward_finished') return undefined;
  if (unit === 'round') return roundKey(moment, history);
  if (kind === 'optimizer_stepped' || kind === 'backward_started') return `${kind}:${first}`;
  if (phase === 'backward') {
    const op = madeBy(moment, history);
    return op && `${moment.call}:${callKey(op.seq, history)}`;
  }
  return kind === 'op_applied' ? callKey(last, history) : undefined;
}

/** The innermost call of a module that is under way after an event, else of a function. */
function callKey(seq: number, { whereabouts }: History): string {
  const call = whereabouts.callAt(seq);
  if (call) return `module:${call.event.call}`;
  const within = whereabouts.functionAt(seq);
  return within ? `function:${within.event.call}` : 'none';
}

/** The round that trains the model where there are several; else the outermost one of several in which an op was applied. */
function roundKey(moment: Moment, history: History): string | undefined {
  const { whereabouts } = history;
  const under = whereabouts.roundsAt(moment.last);
  const training = stepOf(under.filter(({ run, of }) => of > 1 && (run.steps || run.passes)));
  if (training) return written(training);
  const seq = moment.phase === 'backward' ? madeBy(moment, history)?.seq : moment.last;
  if (seq === undefined) return undefined;
  const outer = whereabouts.roundsAt(seq).find(({ of }) => of > 1);
  return `${moment.phase}:${outer ? written(outer) : 'none'}`;
}

/** The op that recorded the node of a moment. */
function madeBy({ node }: Moment, history: History): OpApplied | undefined {
  return (node === null ? null : history.nodes.get(node)?.op) ?? undefined;
}

function written({ run, round }: Round): string {
  return `${run.loop}/${round}`;
}
