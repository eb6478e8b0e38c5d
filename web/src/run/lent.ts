// The session that answers for a run: the run's own, or one that was opened from its recording where the server has no other.

import { postTrace, ServerError } from './api';
import type { Run } from './run.svelte';

/** The server does not have the session any more. */
const GONE = [404, 410];

/** Whether a request failed because the server does not have the session any more. */
export function isGone(error: unknown): boolean {
  return error instanceof ServerError && error.status !== null && GONE.includes(error.status);
}

/** The session that answers for a run; null where the server has none. */
export function sessionOf(run: Run): string | null {
  return run.forgotten ? run.lent : (run.lent ?? run.connection.session ?? null);
}

/** Gives the server the recording of a run that it does not have; returns the session that it is there. */
export async function lend(run: Run): Promise<string> {
  const { writeTrace } = await import('../trace/trace');
  const session = await postTrace(await writeTrace(run.log));
  run.lent = session;
  return session;
}
