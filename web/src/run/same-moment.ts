// The moment of a run at which the same thing acts as at a moment of another run of nearly the same program.

import type { Moment } from '../timeline/moments';
import type { Run } from './run.svelte';

/** Kinds of moments that are named by what acts; the others by their line alone, as what they print may differ. */
const ACTING = new Set(['op_applied', 'node_started', 'grad_accumulated', 'tensor_created', 'tensor_mutated']);

function keyOf({ kind, line, title }: Moment): string {
  return ACTING.has(kind) ? `${kind} ${line} ${title}` : `${kind} ${line}`;
}

/**
 * The place in `to` of the moment `cursor` of `from`: where the same thing acts for the same time, else for the last time before;
 * where it never does, the same place, within the run.
 */
export function sameMoment(from: Run, cursor: number, to: Run): number {
  const before = from.timeline.moments;
  const after = to.timeline.moments;
  const acting = before[cursor];
  if (!acting) return -1;
  if (cursor === before.length - 1 && from.finished) return after.length - 1;
  const key = keyOf(acting);
  let times = 0;
  for (let at = 0; at <= cursor; at += 1) if (keyOf(before[at]!) === key) times += 1;
  let found = -1;
  for (let at = 0; at < after.length && times > 0; at += 1) {
    if (keyOf(after[at]!) !== key) continue;
    found = at;
    times -= 1;
  }
  return found >= 0 ? found : Math.min(cursor, after.length - 1);
}
