// The height of a frame at which its graph and caption have as much room as they can use, for the page around it.

import type { Rect } from '../layout/rect';

/** The share of the height that graph and caption take; Embed.svelte has the same in its style. */
const SHARE = 0.6;
/** Narrower than this the caption is higher, in CSS pixels. */
export const NARROW = 560;
const CAPTION = 104;
const NARROW_CAPTION = 148;
const LEAST_STAGE = 240;
const MOST_STAGE = 520;
const MARGIN = 48;
/** As large as the stage shows a graph by itself. */
const MOST_SCALE = 1.3;
/** What a lesson needs below the graph. */
const LESSON = 300;

/** The height at a width, for a graph of this extent, null while there is none; `teaches`: a lesson is below it. */
export function heightOf(of: { width: number; teaches: boolean; bounds: Rect | null }): number {
  const { width, teaches, bounds } = of;
  const drawn =
    bounds && bounds.width > 0 ? bounds.height * Math.min(MOST_SCALE, (width - MARGIN) / bounds.width) + MARGIN : 0;
  const stage = Math.min(MOST_STAGE, Math.max(LEAST_STAGE, drawn));
  const upper = stage + (width < NARROW ? NARROW_CAPTION : CAPTION);
  return Math.round(Math.max(upper / SHARE, teaches ? LESSON / (1 - SHARE) : 0));
}

/** Sends a height to the page around the frame, which learns nothing else. */
export function sendHeight(height: number): void {
  if (parent !== window) parent.postMessage({ type: 'backscope:height', height }, '*');
}
