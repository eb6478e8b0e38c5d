// The course of an edge: a smooth line that runs straight down through its rows and bends between them.

/** A vertical stretch of an edge at one place. */
export type Pass = { x: number; top: number; bottom: number };

const BEND_POINTS = 14;

/** Points x, y of the middle of an edge from its producer to its consumer. */
export function course(start: Pass, passes: readonly Pass[], end: Pass): Float32Array {
  const points: number[] = [start.x, start.top];
  let last = start;
  for (const pass of [...passes, end]) {
    bend(points, last.x, last.bottom, pass.x, pass.top);
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
