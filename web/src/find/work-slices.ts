// Long work in slices, so that the page answers and draws between them.

import { Slices } from '../layout/pace/slices';

/** The first slice is no longer than what a frame has to spare. */
const FIRST_MS = 5;

/** Runs work to its end; null where `signal` ends it before.  `report` gets what it yielded last in each slice. */
export async function inSlices<T, Y = void>(
  work: Generator<Y, T>,
  signal: AbortSignal,
  report: (yielded: Y) => void = () => {},
): Promise<T | null> {
  const pace = new Slices({ first: FIRST_MS });
  try {
    for (;;) {
      pace.begin();
      let last: Y;
      do {
        const step = work.next();
        if (step.done) return signal.aborted ? null : step.value;
        last = step.value;
      } while (!pace.over());
      report(last);
      await new Promise<void>((resume) => pace.next(resume));
      if (signal.aborted) return null;
    }
  } finally {
    pace.stop();
  }
}

/** Runs work to its end at once. */
export function atOnce<T>(work: Generator<unknown, T>): T {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

/** Work as a part of other work: what it yields is a share of itself, and becomes one of the whole. */
export function* asPart<T>(work: Generator<number, T>, from: number, to: number): Generator<number, T> {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    yield from + (to - from) * step.value;
  }
}
