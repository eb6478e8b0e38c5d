// Long work in slices, so that the page answers and draws between them.

const SLICE_MS = 5;

/** Runs work to its end; null where `signal` ends it before. */
export async function inSlices<T>(work: Generator<void, T>, signal: AbortSignal): Promise<T | null> {
  for (;;) {
    const end = performance.now() + SLICE_MS;
    do {
      const step = work.next();
      if (step.done) return signal.aborted ? null : step.value;
    } while (performance.now() < end);
    await new Promise((resume) => setTimeout(resume));
    if (signal.aborted) return null;
  }
}
