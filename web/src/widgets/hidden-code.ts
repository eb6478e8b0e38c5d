// The code where it is out of sight: behind a tab, in a sheet, or folded.

import { narrow } from './media.svelte';
import { panels } from './panels.svelte';

/** Returns whether the code is out of sight, or may be. */
export function hidesCode(): boolean {
  return panels.tabbed || narrow.matches || panels.all.code.folded;
}

/** Brings the code into view; the keyboard stays where it is, unless a tab or a sheet is opened. */
export function showCode(): void {
  if (panels.tabbed || narrow.matches) panels.call('code');
  else panels.fold('code', false);
}
