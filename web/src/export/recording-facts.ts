// The facts that a page in one file holds about its recording, beside the trace.

import type { OpEntry } from '../run/api';

export type About = {
  /** What its author calls it. */
  name: string;
  /** The moment to open with, as a link has it. */
  fragment: string;
  ops: OpEntry[];
  /** The page is in a notebook's widget, which has the events. */
  live?: boolean;
};

/** What the file holds is its author's or a program's: it is shown as text, and what is none of it is left out. */
export function readAbout(text: string): About {
  const { name, fragment, ops, live } = JSON.parse(text) as Partial<About>;
  return {
    name: typeof name === 'string' ? name : '',
    fragment: typeof fragment === 'string' ? fragment : '',
    ops: Array.isArray(ops) ? ops : [],
    live: live === true,
  };
}
