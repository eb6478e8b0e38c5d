// Opening a trace file: its progress, and how it is cancelled.

import { Run } from './run.svelte';

/** A file that is read within this needs no word, in milliseconds. */
const PATIENCE_MS = 300;

/** One file at a time: another one calls off what is under way. */
export class Opening {
  /** The file that is being read, and what share of it is; null where none is, or not for long. */
  file = $state.raw<{ name: string; share: number } | null>(null);
  #stop: AbortController | null = null;

  /** The run of a trace file; null where it was called off.  Throws an error that says why it cannot be shown. */
  async read(file: File): Promise<Run | null> {
    this.cancel();
    const stop = new AbortController();
    this.#stop = stop;
    const run = Run.recorded();
    const begun = performance.now();
    try {
      const { readTrace } = await import('../trace/trace');
      await readTrace(
        file,
        (batch, share, nbytes) => {
          run.nbytes += nbytes;
          run.take(batch);
          if (performance.now() - begun > PATIENCE_MS) this.file = { name: file.name, share };
        },
        stop.signal,
      );
      return stop.signal.aborted ? null : run;
    } catch (error) {
      if (stop.signal.aborted) return null;
      throw error;
    } finally {
      if (this.#stop === stop) {
        this.#stop = null;
        this.file = null;
      }
    }
  }

  cancel(): void {
    this.#stop?.abort();
    this.#stop = null;
    this.file = null;
  }
}

export const opening = new Opening();
