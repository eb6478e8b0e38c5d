// The moments at which the page offers what to do next.

import type { Run } from '../run/run.svelte';

/** Returns whether the page is at the end of a backward pass, or of the run. */
export function isAtEnd(run: Run): boolean {
  return run.moment?.kind === 'backward_finished' || (run.finished && run.atEnd && run.length > 0);
}
