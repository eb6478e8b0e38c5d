// The place of a step in words: the module that it ran in and the rounds of the loops around it.

import { headOf } from '../layout/program/place';
import type { Event } from '../protocol/events';
import { type Round, stepOf, type Whereabouts } from '../timeline/module-calls';
import type { Moment } from '../timeline/moments';
import type { RunState } from '../timeline/state';
import { say } from './say';

export type Place = {
  /** The path of the module, and which of its calls in its caller's it is, where that was more than one. */
  module: string | null;
  call: number | null;
  times: number | null;
  /** What to select for the module. */
  rounds: string;
};

/** Where the main event of a moment happened. */
export function placeOf(state: RunState, moment: Moment, events: readonly Event[]): Place {
  const main = events.find((event) => event.kind === moment.kind) ?? events[0];
  const seq = main?.seq ?? state.seq;
  const { whereabouts, nodes } = state.history;
  const made = moment.node === null ? undefined : nodes.get(moment.node)?.op;
  const call = whereabouts.callAt(main?.kind === 'op_applied' || !made ? seq : made.seq);
  return {
    module: main?.kind === 'op_applied' ? main.module_path : made ? made.module_path : (call?.event.path ?? null),
    call: call?.event.call ?? null,
    times: call?.outer && call.event.times > 1 ? call.event.times : null,
    rounds: roundsText(roundsOf(whereabouts, seq, main?.kind === 'op_applied' ? undefined : made?.seq)),
  };
}

/** The rounds in which something happens; of what was made in rounds within them, also those. */
function roundsOf(whereabouts: Whereabouts, seq: number, made: number | undefined): readonly Round[] {
  const now = whereabouts.roundsAt(seq);
  if (made === undefined) return now;
  const then = whereabouts.roundsAt(made);
  const isWithin = now.every((one) => then.some(({ run, round }) => run === one.run && round === one.round));
  return isWithin ? then : now;
}

/** Where an op ran, by its event. */
export function placeOfOp(whereabouts: Whereabouts, seq: number, path: string | null): Place {
  const call = whereabouts.callAt(seq);
  return {
    module: path,
    call: path === null ? null : (call?.event.call ?? null),
    times: path !== null && call?.outer && call.event.times > 1 ? call.event.times : null,
    rounds: roundsText(whereabouts.roundsAt(seq)),
  };
}

/** A place as one line: `in model.encoder (call 2), round 3 of 20`; empty outside of modules and loops. */
export function placeText({ module, times, rounds }: Place): string {
  const within =
    module === null
      ? ''
      : times === null
        ? say('place.module', { module })
        : say('place.module_call', { module, times });
  return [within, rounds].filter(Boolean).join(say('join.comma'));
}

/** The rounds of loops that have several: that of the training loop first, then the innermost: `round 3 of 20`. */
export function roundsText(rounds: readonly Round[]): string {
  const shown = rounds.filter(({ run }) => run.total !== 1);
  const step = stepOf(shown);
  if (step && shown.length === 1 && (step.run.steps || step.run.passes)) return onlyRoundText(step);
  const others = shown.filter((round) => round !== step).toReversed();
  return [...(step ? [step] : []), ...others].map(roundText).join(say('join.comma'));
}

function onlyRoundText({ run: { total }, round }: Round): string {
  return total === null ? say('place.round_so_far', { round }) : say('place.round', { round, of: total });
}

function roundText({ run: { total, text }, round }: Round): string {
  const loop = headOf(text);
  return total === null
    ? say('place.round_in_so_far', { round, loop })
    : say('place.round_in', { round, of: total, loop });
}
