// The place in the text where a program is not valid Python.

import type { Events } from '../store/log';
import type { Mistake } from './marks';

/** The syntax error of a run; null when there was none. */
export function mistakeOf(events: Events): Mistake | null {
  // Nothing runs before a syntax error, so it is among the first events.
  const found = events.slice(0, 8).find((event) => event.kind === 'error_raised' && event.stage === 'syntax');
  if (found?.kind !== 'error_raised' || found.line === null) return null;
  return { line: found.line, column: found.column, message: `${found.type}: ${found.message}` };
}
