// The questions that are offered at the end of a backward pass or of a run.

import { values } from '../format/number';
import * as say from '../messages/next';
import type { Note } from '../noticed/note';
import type { ErrorRaised } from '../protocol/events';
import { isBad } from '../protocol/finite';
import type { Question } from '../run/api';
import type { Run } from '../run/run.svelte';
import type { Subject } from '../run/subject';
import { isZero } from '../timeline/gradients';
import type { History } from '../timeline/history';

/** A question with the keys that it may have at the server, the likeliest first, and the line of what it is about. */
export type NextQuestion = { text: string; about: Subject; keys: readonly string[]; line: number | null };

/** Of a value in a question, in characters. */
const WIDEST = 12;

/** Questions about a whole run that explain more of it than a gradient does. */
const OF_RUNS = ['nonfinite', 'memory', 'hook_missed', 'recomputed'];

const RUN: Subject = { tensor: null, node: null };

/** The error that ended the run, once it is reached. */
export function endingError({ state, seq }: Run): ErrorRaised | null {
  const { ended } = state.history.outcomes;
  return ended && ended.seq <= seq ? ended : null;
}

/**
 * The question about an error that ended the run, else about a leaf that the last pass reached, or that no pass could,
 * else about an error that the program caught; null without any.
 */
export function questionAt(run: Run): NextQuestion | null {
  const ended = endingError(run);
  // Nothing ran of a text that is not Python: its message says all.
  if (ended?.stage === 'syntax') return null;
  if (ended) return { text: say.whyDidItFail, about: RUN, keys: ['error'], line: ended.line };
  return reachedLeaf(run) ?? caughtError(run) ?? unreachedLeaf(run);
}

/** Of the questions about a run that the server offers at its end, the first that explains more than a gradient. */
export function questionOfRun(offered: readonly Question[]): NextQuestion | null {
  const found = offered.find(({ key }) => OF_RUNS.includes(key));
  return found ? { text: found.text, about: RUN, keys: [found.key], line: null } : null;
}

/** The question about a leaf that was noticed to get no gradient. */
export function questionOfNote({ state }: Run, notes: readonly Note[]): NextQuestion | null {
  const tensor = notes.find(({ kind }) => kind === 'notReached')?.tensors[0];
  const name = tensor === undefined ? null : state.tensor(tensor)?.name;
  return tensor !== undefined && name ? whyNone(state.history, tensor, name) : null;
}

function caughtError({ state, seq }: Run): NextQuestion | null {
  const error = state.history.errors.at(seq);
  if (!error) return null;
  return { text: say.whyDidItHappen(error.type), about: RUN, keys: ['caught', 'error'], line: error.line };
}

function reachedLeaf({ state, seq, log }: Run): NextQuestion | null {
  const { history } = state;
  const call = history.calls.findLast(({ event }) => event.seq <= seq);
  if (!call) return null;
  // Leaves with one number are asked about first: it is in the question.
  let found: { tensor: number; name: string; rank: number } | null = null;
  for (const event of log.of(['grad_accumulated'], call.event.seq, Math.min(seq, call.finished) + 1)) {
    // What the pass began at has the gradient that it was given; what was emptied since holds none.
    if (call.event.roots.includes(event.tensor)) continue;
    if (!state.tensor(event.tensor)?.grad) continue;
    const name = state.tensor(event.tensor)?.name;
    if (!name) continue;
    const rank = event.added.shape.length;
    if (!found || rank < found.rank || (rank === found.rank && event.tensor < found.tensor))
      found = { tensor: event.tensor, name, rank };
  }
  const grad = found && state.tensor(found.tensor)?.grad?.total;
  if (!found || !grad) return null;
  const written = values(grad, WIDEST);
  const name = say.gradOf(found.name);
  return {
    text: written ? say.whyIs(name, written) : say.whyThisValue(name),
    about: { tensor: found.tensor, node: null },
    keys: isBad(grad) ? ['nonfinite', 'grad_value'] : isZero(grad) ? ['grad_zero'] : ['grad_small', 'grad_value'],
    line: history.tensors.get(found.tensor)?.line ?? null,
  };
}

/** Returns the first leaf that waits for a gradient, where a run ended without a pass. */
function unreachedLeaf({ state, seq, finished }: Run): NextQuestion | null {
  const { history } = state;
  if (!finished || history.calls.length > 0) return null;
  for (const { tensor, isLeaf, born, requiresGrad } of history.tensors.values()) {
    const name = isLeaf && born <= seq && requiresGrad.at(seq) ? state.tensor(tensor)?.name : null;
    if (name) return whyNone(history, tensor, name);
  }
  return null;
}

function whyNone(history: History, tensor: number, name: string): NextQuestion {
  return {
    text: say.whyIs(say.gradOf(name), say.noGrad),
    about: { tensor, node: null },
    keys: ['grad_none'],
    line: history.tensors.get(tensor)?.line ?? null,
  };
}
