/** Frames of a deep stack in rounds: what comes again and again, of one function or of several that call one another. */

import type { TracebackLine } from './events';

/** Frames of one round at most. */
const LONGEST = 6;
/** Times from which on rounds are worth to be told as such. */
const FEWEST = 4;

/** Frames that come `times` times one after the other; `at` is the place of the first of them all. */
export type Rounds = { readonly at: number; readonly frames: readonly TracebackLine[]; readonly times: number };

/** The frames of a stack in their order, each once or as a part of rounds. */
export function rounds(frames: readonly TracebackLine[]): Rounds[] {
  const found: Rounds[] = [];
  for (let at = 0; at < frames.length; ) {
    let [length, times] = [1, 1];
    for (let size = 1; size <= LONGEST; size++) {
      const often = timesOf(frames, at, size);
      if (often >= FEWEST) {
        [length, times] = [size, often];
        break;
      }
    }
    found.push({ at, frames: frames.slice(at, at + length), times });
    at += length * times;
  }
  return found;
}

function timesOf(frames: readonly TracebackLine[], at: number, size: number): number {
  let end = at + size;
  while (end < frames.length && isSame(frames[end]!, frames[end - size]!)) end++;
  return Math.floor((Math.min(end, frames.length) - at) / size);
}

function isSame(one: TracebackLine, other: TracebackLine): boolean {
  return one.line === other.line && one.function === other.function && one.text === other.text;
}
