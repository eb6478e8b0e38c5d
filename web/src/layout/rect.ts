// Rectangles in the plane of the stage, in CSS pixels at scale 1.

export type Rect = { x: number; y: number; width: number; height: number };

/** The smallest rectangle that holds both; `null` holds nothing. */
export function union(a: Rect | null, b: Rect): Rect {
  if (!a) return { ...b };
  const x = Math.min(a.x, b.x);
  const y = Math.min(a.y, b.y);
  return {
    x,
    y,
    width: Math.max(a.x + a.width, b.x + b.width) - x,
    height: Math.max(a.y + a.height, b.y + b.height) - y,
  };
}

/** Whether two rectangles share more than their rims. */
export function overlaps(a: Rect, b: Rect): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

/** Whether a point lies in a rectangle. */
export function holds(rect: Rect, x: number, y: number): boolean {
  return x >= rect.x && x <= rect.x + rect.width && y >= rect.y && y <= rect.y + rect.height;
}

/** Whether one rectangle lies within another. */
export function contains(outer: Rect, inner: Rect): boolean {
  return (
    outer.x <= inner.x &&
    outer.y <= inner.y &&
    outer.x + outer.width >= inner.x + inner.width &&
    outer.y + outer.height >= inner.y + inner.height
  );
}

/** The part of a rectangle that a view of a size can show: around its middle, but with all of `core`, or where it begins. */
export function around(core: Rect, rect: Rect, size: { width: number; height: number }): Rect {
  const [x, width] = stretch(core.x, core.width, rect.x, rect.width, size.width);
  const [y, height] = stretch(core.y, core.height, rect.y, rect.height, size.height);
  return { x, y, width, height };
}

/** The first of some rectangles with as many others as a view of a size can show beside it, nearest first. */
export function gathered(rects: readonly Rect[], size: { width: number; height: number }): Rect | null {
  const [first] = rects;
  let found = first ?? null;
  for (const rect of rects.toSorted((a, b) => distance(a, first!) - distance(b, first!))) {
    const both = union(found, rect);
    if (both.width <= size.width && both.height <= size.height) found = both;
  }
  return found;
}

/** How far apart the middles of two rectangles are. */
function distance(a: Rect, b: Rect): number {
  return Math.hypot(a.x + (a.width - b.width) / 2 - b.x, a.y + (a.height - b.height) / 2 - b.y);
}

function stretch(core: number, kept: number, start: number, length: number, most: number): [number, number] {
  if (length <= most) return [start, length];
  if (kept >= most) return [core, most];
  const middle = start + (length - most) / 2;
  return [Math.min(Math.max(middle, core + kept - most), core), most];
}
