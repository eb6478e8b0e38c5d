// The caption: one sentence for each step, which names the actor, its numbers and the result in the reader's names.

import type { EventLog } from '../store/log';
import type { Moment } from '../timeline/moments';
import type { RunState } from '../timeline/state';

/** An entry of the op catalogue, as far as sentences need it. */
export type OpSentence = { grad_fn: string | null; symbol: string | null; summary: Record<string, string> };

/** The sentence of a moment; `ops` is the catalogue, which gives the sentences of ops their verbs. */
export function sentence(_state: RunState, moment: Moment, _log: EventLog, _ops: readonly OpSentence[] = []): string {
  return moment.title;
}
