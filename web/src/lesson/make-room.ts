// The rooms of the page beside a lesson.

import { panels } from '../widgets/panels.svelte';

/** A page lower than this has no room for the rows under the timeline, in pixels. */
const LOW = 860;

/** Folds what a lesson and its program do without; the function that it returns opens that again. */
export function makeRoom(): () => void {
  const rooms = ['console', 'inspector', ...(innerHeight < LOW ? (['timeline'] as const) : [])] as const;
  const aside = rooms.filter((room) => !panels.all[room].folded);
  for (const room of aside) panels.all[room].folded = true;
  panels.all.code.folded = false;
  return () => {
    for (const room of aside) panels.all[room].folded = false;
  };
}
