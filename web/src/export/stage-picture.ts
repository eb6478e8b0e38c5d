// The stage as the page shows it, in one of the two themes, for pictures and films.

import { sentence } from '../caption/caption';
import { readTokens, type ThemeTokens } from '../renderer/tokens';
import type { OpEntry } from '../run/api';
import type { EventLog } from '../store/log';
import type { Timeline } from '../timeline/timeline';

/** A run as pictures need it. */
export type Recorded = { log: EventLog; timeline: Timeline };

/** The colours of a theme, whether or not it is the one in force. */
export function tokensOf(theme: 'light' | 'dark'): ThemeTokens {
  const root = document.documentElement;
  const inForce = root.dataset.theme;
  // Nothing is painted in between.
  root.dataset.theme = theme;
  try {
    return readTokens(root);
  } finally {
    if (inForce === undefined) delete root.dataset.theme;
    else root.dataset.theme = inForce;
  }
}

/** The sentence of a moment. */
export function captionAt({ log, timeline }: Recorded, ops: readonly OpEntry[], cursor: number): string {
  const moment = timeline.moments[cursor];
  return moment ? sentence(timeline.stateAt(cursor), moment, log, ops) : '';
}
