// The size of the map of a graph, its corner, and when there is one.

import { begunBy, type Chunk } from '../../layout/placed';
import { contains, overlaps, type Rect, union } from '../../layout/rect';

/** In CSS pixels. */
const MOST_WIDTH = 176;
const MOST_HEIGHT = 136;
const LEAST_WIDTH = 28;
const LEAST_HEIGHT = 20;
/** Room around what is placed, in the plane of the stage. */
const MARGIN = 40;
/** Graphs that can be read as a whole need no map. */
const READ_WHOLE = 0.68;

/** All that has begun by event `seq`: it grows pass by pass, not step by step. */
export function wholeOf(chunks: readonly Pick<Chunk, 'first' | 'rect'>[], seq: number): Rect | null {
  const whole = begunBy(chunks, seq).reduce<Rect | null>((all, { rect }) => union(all, rect), null);
  if (!whole) return null;
  return {
    x: whole.x - MARGIN,
    y: whole.y - MARGIN,
    width: whole.width + 2 * MARGIN,
    height: whole.height + 2 * MARGIN,
  };
}

/** The size of the map in CSS pixels, and its scale; a `share` of that where it has less room. */
export function mapSize({ width, height }: Rect, share = 1): { width: number; height: number; scale: number } {
  const scale = share * Math.min(MOST_WIDTH / width, MOST_HEIGHT / height);
  return { width: Math.max(LEAST_WIDTH, width * scale), height: Math.max(LEAST_HEIGHT, height * scale), scale };
}

export type Corner = 'bottom-left' | 'top-left' | 'top-right';
const SHARES = [1, 0.75, 0.5];
const CORNERS: readonly Corner[] = ['bottom-left', 'top-left', 'top-right'];
/** How far the map is from the rims of the stage, and its border, in CSS pixels. */
const INSET = 8;
const BORDER = 1;

/** Where the map is, and as which share of its size. */
export type Spot = { corner: Corner; share: number };

/**
 * The spot in a view where the map of a whole covers none of some things: at its size where that can be, in the corner that it has
 * now before another one.  The same where there is none.
 */
export function clearSpot(
  whole: Rect,
  view: { width: number; height: number },
  things: readonly Rect[],
  now: Spot,
): Spot {
  for (const share of SHARES) {
    const size = mapSize(whole, share);
    const [width, height] = [size.width + 2 * BORDER, size.height + 2 * BORDER];
    for (const corner of [now.corner, ...CORNERS]) {
      const x = corner === 'top-right' ? view.width - INSET - width : INSET;
      const y = corner === 'bottom-left' ? view.height - INSET - height : INSET;
      if (!things.some((thing) => overlaps(thing, { x, y, width, height }))) return { corner, share };
    }
  }
  return now;
}

/**
 * Whether a map is of use: the graph is too large to be read as a whole, and part of it is out of view.  Where it is seen as
 * boxes, what is `drawn` so far is all of it: it grows with the run, and a map would come to lie over what acts.
 */
export function isWorthAMap(
  whole: Rect,
  seen: Rect,
  view: { width: number; height: number },
  drawn: Rect | null = null,
): boolean {
  if (drawn && contains(seen, drawn)) return false;
  const isLarge = Math.min(view.width / whole.width, view.height / whole.height) < READ_WHOLE;
  const isPart =
    seen.x > whole.x + MARGIN ||
    seen.y > whole.y + MARGIN ||
    seen.x + seen.width < whole.x + whole.width - MARGIN ||
    seen.y + seen.height < whole.y + whole.height - MARGIN;
  return isLarge && isPart;
}
