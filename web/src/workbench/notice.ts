// The note at the top of the page.

import { reasonOf } from '../format/reason';
import * as say from '../messages/page/app';

/** A message to the reader that is not part of a run: what happened and, in the text, what to do. */
export type Notice = {
  tone: 'error' | 'plain';
  text: string;
  action?: { label: string; run: () => void };
  /** The program that it is about: once that is edited, the notice goes away. */
  of?: string;
};

/** Return the notice of an error; `about` begins its text. */
export function problemNotice(error: unknown, about = ''): Notice {
  return { tone: 'error', text: `${about}${reasonOf(error)}` };
}

/** Return the notice that the server has forgotten a run; `again` runs its program, null where there is none. */
export function goneNotice(again: (() => void) | null): Notice {
  if (!again) return { tone: 'plain', text: say.programNotInLink(say.runGone) };
  return { tone: 'plain', text: say.programInEditor(say.runGone), action: { label: say.runItAgain, run: again } };
}
