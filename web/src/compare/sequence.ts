// Aligns two sequences by the shortest edit between them, found in windows so that it takes linear time.

/** Entries of either side that are looked at together. */
const WINDOW = 4096;
/** Edits that are tried for in one window; beyond, what reached furthest is taken. */
const MOST_EDITS = 600;

/** The pairs of entries that are equal, in order: `[index in a, index in b]`; between two windows, how far it is. */
export function* align(a: readonly number[], b: readonly number[]): Generator<number, [number, number][]> {
  const pairs: [number, number][] = [];
  let i = 0;
  let j = 0;
  for (;;) {
    yield i / Math.max(1, a.length);
    while (i < a.length && j < b.length && a[i] === b[j]) pairs.push([i++, j++]);
    if (i >= a.length || j >= b.length) return pairs;
    const n = Math.min(a.length - i, WINDOW);
    const m = Math.min(b.length - j, WINDOW);
    const whole = i + n === a.length && j + m === b.length;
    const path = edit(a, i, n, b, j, m);
    // Near the rim of a window the best way is not known yet: only the first half is taken.
    const rim = whole && path.done ? Number.POSITIVE_INFINITY : Math.max(1, (path.x + path.y) / 2);
    let taken = 0;
    for (const [x, y] of path.pairs) {
      if (x + y > rim) break;
      pairs.push([i + x, j + y]);
      taken += 1;
    }
    if (whole && path.done) return pairs;
    const last = path.pairs[taken - 1];
    if (last) {
      i += last[0] + 1;
      j += last[1] + 1;
    } else {
      // Nothing of this stretch has a counterpart near.
      i += Math.max(1, path.x);
      j += Math.max(1, path.y);
    }
  }
}

type Path = { pairs: [number, number][]; x: number; y: number; done: boolean };

/** Myers' greedy way through one window. */
function edit(a: readonly number[], i: number, n: number, b: readonly number[], j: number, m: number): Path {
  const most = Math.min(n + m, MOST_EDITS);
  const furthest = new Int32Array(2 * most + 3);
  const trail: Int32Array[] = [];
  const middle = most + 1;
  let best = { d: 0, k: 0, reach: -1 };
  for (let d = 0; d <= most; d += 1) {
    trail.push(furthest.slice(middle - d - 1, middle + d + 2));
    best = { d, k: 0, reach: -1 };
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && furthest[middle + k - 1]! < furthest[middle + k + 1]!);
      let x = down ? furthest[middle + k + 1]! : furthest[middle + k - 1]! + 1;
      let y = x - k;
      while (x < n && y < m && a[i + x] === b[j + y]) {
        x += 1;
        y += 1;
      }
      furthest[middle + k] = x;
      if (x > n || y > m) continue;
      if (x + y > best.reach) best = { d, k, reach: x + y };
      if (x >= n && y >= m) return { ...back(trail, d, k, x), done: true };
    }
  }
  return { ...back(trail, best.d, best.k, furthest[middle + best.k]!), done: false };
}

/** The pairs on the way to where `d` edits led on diagonal `k`. */
function back(trail: readonly Int32Array[], d: number, k: number, end: number): Omit<Path, 'done'> {
  const pairs: [number, number][] = [];
  let x = end;
  let diagonal = k;
  for (let step = d; step >= 0; step -= 1) {
    // What was known before this step, from diagonal -step - 1 on.
    const before = trail[step]!;
    const at = (one: number) => before[one + step + 1]!;
    const down = diagonal === -step || (diagonal !== step && at(diagonal - 1) < at(diagonal + 1));
    const start = step === 0 ? 0 : down ? at(diagonal + 1) : at(diagonal - 1) + 1;
    while (x > start) {
      x -= 1;
      pairs.push([x, x - diagonal]);
    }
    diagonal = down ? diagonal + 1 : diagonal - 1;
    x = step === 0 ? 0 : at(diagonal);
  }
  return { pairs: pairs.reverse(), x: end, y: end - k };
}
