// What reading and writing trace files share; apart from both, because the page writes and a worker of its own reads.

import { DEFAULTS, type Event } from '../protocol/events';
import { own } from '../protocol/own';

export const TRACE_VERSION = 1;

/** A trace file that cannot be shown; the message says why, where and what to do. */
export class TraceFileError extends Error {}

/** An event with the fields that its kind did not have yet when the trace was written. */
export function complete<E>(event: E): E {
  const { kind } = (event ?? {}) as Partial<Event>;
  const defaults = typeof kind === 'string' ? own(DEFAULTS, kind) : undefined;
  if (defaults === undefined) return event;
  for (const [name, value] of Object.entries(defaults)) {
    if (!Object.hasOwn(event as object, name)) Object.assign(event as object, { [name]: structuredClone(value) });
  }
  return event;
}
