// What a reader may ask at the end of a backward pass or of a run.

import { values } from '../format/number';
import * as say from '../messages/next';
import { isBad } from '../protocol/finite';
import type { Run } from '../run/run.svelte';
import type { Subject } from '../run/subject';
import { isZero } from '../timeline/gradients';

/** A question with the keys that it may have at the server, the likeliest first, and the line of what it is about. */
export type NextQuestion = { text: string; about: Subject; keys: readonly string[]; line: number | null };

/** Of a value in a question, in characters. */
const WIDEST = 12;

/** Whether the page is at the end of a backward pass, or of the run. */
export function isAtEnd(run: Run): boolean {
  return run.moment?.kind === 'backward_finished' || (run.finished && run.atEnd && run.length > 0);
}

/** The question about an error that ended the run, else about a leaf that the last pass reached; null without either. */
export function questionAt(run: Run): NextQuestion | null {
  const { state, seq } = run;
  const { history } = state;
  const { ended } = history.outcomes;
  if (ended && ended.seq <= seq)
    return { text: say.whyDidItFail, about: { tensor: null, node: null }, keys: ['error'], line: ended.line };
  return reachedLeaf(run) ?? caughtError(run);
}

function caughtError({ state, seq }: Run): NextQuestion | null {
  const error = state.history.errors.at(seq);
  if (!error) return null;
  const about = { tensor: null, node: null };
  return { text: say.whyDidItHappen(error.type), about, keys: ['caught', 'error'], line: error.line };
}

function reachedLeaf({ state, seq, log }: Run): NextQuestion | null {
  const { history } = state;
  const call = history.calls.findLast(({ event }) => event.seq <= seq);
  if (!call) return null;
  // Leaves with one number are asked about first: it is in the question.
  let found: { tensor: number; name: string; rank: number } | null = null;
  for (let at = call.event.seq; at <= Math.min(seq, call.finished); at += 1) {
    const event = log.events[at];
    if (event?.kind !== 'grad_accumulated') continue;
    const name = state.tensor(event.tensor)?.name;
    if (!name) continue;
    const rank = event.added.shape.length;
    if (!found || rank < found.rank || (rank === found.rank && event.tensor < found.tensor))
      found = { tensor: event.tensor, name, rank };
  }
  if (!found) return null;
  const grad = state.tensor(found.tensor)?.grad?.total ?? null;
  const written = grad && values(grad, WIDEST);
  const name = say.gradOf(found.name);
  return {
    text: !grad ? say.whyIs(name, say.noGrad) : written ? say.whyIs(name, written) : say.whyThisValue(name),
    about: { tensor: found.tensor, node: null },
    keys: !grad
      ? ['grad_none']
      : isBad(grad)
        ? ['nonfinite', 'grad_value']
        : isZero(grad)
          ? ['grad_zero']
          : ['grad_value'],
    line: history.tensors.get(found.tensor)?.line ?? null,
  };
}
