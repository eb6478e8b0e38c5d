// The height of a frame at which nothing in it has to scroll.

import type { Rect } from '../layout/rect';

/** From this width on the code is beside the stage, in CSS pixels. */
export const WIDE = 720;
const HEADER = 44;
const TIMELINE = 96;
const TABS = 44;
const LINE = 24;
const LEAST_STAGE = 240;
const MOST_STAGE = 520;
const MOST_CODE = 560;
const MARGIN = 48;
/** As large as the stage shows a graph by itself. */
const MOST_SCALE = 1.3;

/** The height at a width, for a program of so many lines and a graph of this extent, null while there is none. */
export function heightOf(of: { width: number; lines: number; bounds: Rect | null }): number {
  const { width, lines, bounds } = of;
  const wide = width >= WIDE;
  const room = (wide ? width * 0.6 : width) - MARGIN;
  const drawn = bounds && bounds.width > 0 ? bounds.height * Math.min(MOST_SCALE, room / bounds.width) + MARGIN : 0;
  const stage = Math.min(MOST_STAGE, Math.max(LEAST_STAGE, drawn));
  if (!wide) return Math.round(HEADER + stage + 144 + TIMELINE + TABS);
  const code = Math.min(MOST_CODE, lines * LINE + MARGIN) + TABS;
  return Math.round(HEADER + Math.max(stage + 104 + TIMELINE, code));
}
