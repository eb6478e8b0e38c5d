// What reading and writing trace files share; apart from both, because the page writes and a worker of its own reads.

import type { CheckpointEntered, CheckpointLeft, ErrorRaised, Event, OpApplied, Paused } from '../protocol/events';

export const TRACE_VERSION = 1;

/** A trace file that cannot be shown; the message says why, where and what to do. */
export class TraceFileError extends Error {}

/** An event with what its kind did not tell yet when the trace was written. */
export function complete<E>(event: E): E {
  const { kind } = (event ?? {}) as Partial<Event>;
  if (kind === 'op_applied') (event as Partial<OpApplied>).hidden ??= [];
  if (kind === 'error_raised' || kind === 'paused') (event as Partial<ErrorRaised | Paused>).frames_left_out ??= 0;
  if (kind === 'checkpoint_entered') (event as Partial<CheckpointEntered>).selective ??= false;
  if (kind === 'checkpoint_left') (event as Partial<CheckpointLeft>).kept ??= [];
  return event;
}
