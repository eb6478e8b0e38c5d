// The note at the top of the page.

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
  return { tone: 'error', text: `${about}${error instanceof Error ? error.message : String(error)}` };
}
