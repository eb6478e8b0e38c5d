// Writes a value in one line for the debugger.

import { brief } from '../format/number';
import type { Look } from '../protocol/events';

/** The elements of a tensor, or its shape where they do not fit; the Python text of anything else. */
export function lookText({ text, value }: Look): string {
  return value === null ? text : brief(value, 40);
}
