// The course of an edge: a smooth line that runs straight down through its rows and bends between them.

import type { Lane } from './group/group';

/** A vertical stretch of an edge at one place; `turn` is how it comes there from the foot of the column before. */
export type Pass = { x: number; top: number; bottom: number; turn: Lane | null };

const BEND_POINTS = 14;
const CORNER = 10;
const CORNER_POINTS = 4;

/** Points x, y of the middle of an edge from its producer to its consumer. */
export function course(start: Pass, passes: readonly Pass[], end: Pass): Float32Array {
  const points: number[] = [start.x, start.top];
  let last = start;
  for (const pass of [...passes, end]) {
    if (pass.turn) around(points, last, pass, pass.turn);
    else bend(points, last.x, last.bottom, pass.x, pass.top);
    last = pass;
  }
  add(points, end.x, end.bottom);
  return new Float32Array(points);
}

function add(points: number[], x: number, y: number): void {
  const n = points.length;
  if (n >= 2 && Math.abs(points[n - 2]! - x) < 0.01 && Math.abs(points[n - 1]! - y) < 0.01) return;
  // A straight stretch needs only its ends.
  if (n >= 4 && Math.abs(points[n - 2]! - x) < 0.01 && Math.abs(points[n - 4]! - x) < 0.01) {
    points[n - 1] = y;
    return;
  }
  points.push(x, y);
}

/** A cubic with vertical tangents. */
function bend(points: number[], x0: number, y0: number, x1: number, y1: number): void {
  add(points, x0, y0);
  if (Math.abs(x1 - x0) > 0.01) {
    const middle = (y0 + y1) / 2;
    for (let i = 1; i < BEND_POINTS; i += 1) {
      const t = i / BEND_POINTS;
      const u = 1 - t;
      const x = u * u * (u + 3 * t) * x0 + t * t * (t + 3 * u) * x1;
      const y = u * u * u * y0 + 3 * u * t * middle * (u + t) + t * t * t * y1;
      add(points, x, y);
    }
  }
  add(points, x1, y1);
}

/** Down, aside, up and aside to the head of the next column, and down again. */
function around(points: number[], from: Pass, to: Pass, { foot, gutter, head }: Lane): void {
  add(points, from.x, from.bottom);
  corner(points, from.x, foot, 0, -1, Math.sign(gutter - from.x), 0);
  corner(points, gutter, foot, -Math.sign(gutter - from.x), 0, 0, -1);
  corner(points, gutter, head, 0, 1, Math.sign(to.x - gutter), 0);
  corner(points, to.x, head, -Math.sign(to.x - gutter), 0, 0, 1);
  add(points, to.x, to.top);
}

/** A rounded corner at a point: where one comes from, and where one goes, as directions away from it. */
function corner(points: number[], x: number, y: number, fromX: number, fromY: number, toX: number, toY: number): void {
  for (let i = 0; i <= CORNER_POINTS; i += 1) {
    const t = i / CORNER_POINTS;
    const before = CORNER * (1 - t) ** 2;
    const after = CORNER * t ** 2;
    add(points, x + fromX * before + toX * after, y + fromY * before + toY * after);
  }
}

/** The length of a course. */
export function lengthOf(points: Float32Array): number {
  let length = 0;
  for (let i = 2; i < points.length; i += 2) {
    length += Math.hypot(points[i]! - points[i - 2]!, points[i + 1]! - points[i - 1]!);
  }
  return length;
}

/** A line beside a course: at smaller x for positive distances where the course goes down the page. */
export function beside(points: Float32Array, distance: number): Float32Array {
  const made = new Float32Array(points.length);
  const last = points.length - 2;
  for (let i = 0; i <= last; i += 2) {
    const before = Math.max(0, i - 2);
    const after = Math.min(last, i + 2);
    const dx = points[after]! - points[before]!;
    const dy = points[after + 1]! - points[before + 1]!;
    const size = Math.hypot(dx, dy) || 1;
    made[i] = points[i]! - (dy / size) * distance;
    made[i + 1] = points[i + 1]! + (dx / size) * distance;
  }
  return made;
}

/** The point at a share of a course's length, 0 at its start. */
export function along(points: Float32Array, share: number): { x: number; y: number } {
  let left = lengthOf(points) * Math.min(1, Math.max(0, share));
  for (let i = 2; i < points.length; i += 2) {
    const dx = points[i]! - points[i - 2]!;
    const dy = points[i + 1]! - points[i - 1]!;
    const step = Math.hypot(dx, dy);
    if (left <= step && step > 0) {
      const t = left / step;
      return { x: points[i - 2]! + dx * t, y: points[i - 1]! + dy * t };
    }
    left -= step;
  }
  return { x: points[points.length - 2]!, y: points[points.length - 1]! };
}
