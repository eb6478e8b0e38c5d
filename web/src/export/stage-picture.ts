// The stage as the page shows it, in one of the two themes, for pictures and films.

import { sentence } from '../caption/caption';
import { readTokens, type ThemeTokens } from '../renderer/tokens';
import type { Run } from '../run/run.svelte';
import type { Workbench } from '../workbench/workbench.svelte';

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
export function captionAt(bench: Workbench, run: Run, cursor: number): string {
  const moment = run.timeline.moments[cursor];
  return moment ? sentence(run.timeline.stateAt(cursor), moment, run.log, bench.catalogue.ops) : '';
}
