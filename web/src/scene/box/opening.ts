// When one sees what is in an area instead of a box: from the scale on at which what is inside it has room for its names.

import type { Area } from '../../layout/area';
import { SMALL, width as textWidth } from '../../layout/size';

/** On the screen, in pixels, the least room and side at which what is inside a place is shown, and the scale at which ops are. */
const OPEN_ROOM = 120 * 120;
const OPEN_SIDE = 48;
const OPS_SCALE = 0.1;
/** The share of a place's height from which on the only place in it says less than it does itself. */
const NEARLY_ALL = 0.6;
/** The share of the ops inside a place that must be in boxes with room for a name: one named box says more than many without. */
const NAMED = 0.95;
/** The room that a name takes on the screen, in pixels: its height, and what is beside it. */
const NAME_HEIGHT = 16;
const NAME_ROOM = 8;
/** The characters of what a stretch without a place goes by, as `1–125`. */
const RANGE_CHARS = 5;

/** The least scales at which areas are open; no area changes once it is placed. */
const known = new WeakMap<Area, number>();

/** Returns whether the contents of an area can be seen at a scale; `isWhole` for a whole pass, which has no name. */
export function opens(area: Area, scale: number, isWhole = false): boolean {
  return scale >= opensFrom(area, isWhole);
}

function opensFrom(area: Area, isWhole = false): number {
  let from = known.get(area);
  if (from === undefined) {
    from = Math.min(OPS_SCALE, leastScale(area, isWhole));
    known.set(area, from);
  }
  return from;
}

function leastScale({ rect, frame, areas }: Area, isWhole: boolean): number {
  const only = areas[0];
  if (!only) return Number.POSITIVE_INFINITY;
  const { width, height } = rect;
  const roomy = Math.max(Math.sqrt(OPEN_ROOM / (width * height)), OPEN_SIDE / Math.min(width, height));
  if (isWhole) return roomy;
  // Opened for one block that fills it, a round would lose its name and show nothing for it.
  const isFilled = frame !== null && areas.length === 1 && only.rect.height >= NEARLY_ALL * height;
  return Math.max(roomy, isFilled ? opensFrom(only) : namedFrom(areas));
}

/** The scale from which on most of the ops of some areas are in boxes that have room for their names. */
function namedFrom(areas: readonly Area[]): number {
  const needs = areas.map((area) => ({ scale: nameFrom(area), ops: area.ops })).sort((a, b) => a.scale - b.scale);
  const enough = NAMED * needs.reduce((sum, { ops }) => sum + ops, 0);
  let named = 0;
  for (const { scale, ops } of needs) {
    named += ops;
    if (named >= enough) return scale;
  }
  return 0;
}

/** The scale from which on an area has room for its name, or is open itself. */
function nameFrom(area: Area): number {
  const { rect, frame } = area;
  const chars = frame ? [...frame.short].length : RANGE_CHARS;
  const named = Math.max((textWidth(chars, SMALL) + NAME_ROOM) / rect.width, NAME_HEIGHT / rect.height);
  return Math.min(named, opensFrom(area));
}
