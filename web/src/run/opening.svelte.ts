// Opening a trace file: what is shown of it before all is read, its progress, and how it is cancelled.

import type { Event } from '../protocol/events';
import { Intake, painted } from './intake';
import { Run } from './run.svelte';

/** A file that is read within this needs no word, in milliseconds. */
const PATIENCE_MS = 300;
/** The text of events that is read before any of it is shown: a smaller run is in sight as a whole, or refused. */
const FIRST_BYTES = 1 << 20;

const CANCELLED = new Error('cancelled');

/** One file at a time: another one calls off what is under way. */
export class Opening {
  /** The file that is being read, and what share of it is; null where none is, or not for long. */
  file = $state.raw<{ name: string; share: number } | null>(null);
  #stop: AbortController | null = null;

  /**
   * The run of a trace file; null where it was called off.  Throws an error that says why it cannot be shown.  Where `show`
   * is given, it is called each time that more of a large file is to be shown.
   */
  async read(file: File, show: ((run: Run) => void) | null = null): Promise<Run | null> {
    this.cancel();
    const stop = new AbortController();
    this.#stop = stop;
    const run = Run.recorded();
    run.reading = true;
    try {
      await this.#take(file, run, show, stop);
      run.settle();
      return run;
    } catch (error) {
      if (stop.signal.reason === CANCELLED) return null;
      throw error;
    } finally {
      run.reading = false;
      if (this.#stop === stop) {
        this.#stop = null;
        this.file = null;
      }
    }
  }

  async #take(file: File, run: Run, show: ((run: Run) => void) | null, stop: AbortController): Promise<void> {
    const { signal } = stop;
    const begun = performance.now();
    let [came, taken, read] = [0, 0, 0];
    const take = (batch: readonly Event[]) => {
      run.take(batch);
      taken += batch.length;
      if (performance.now() - begun > PATIENCE_MS) this.file = { name: file.name, share: (read * taken) / came };
    };
    const intake = new Intake({
      take: (batch) => {
        try {
          take(batch);
        } catch (error) {
          stop.abort(error);
        }
      },
      show: () => {
        run.settle();
        show?.(run);
      },
      shown: painted,
    });
    signal.addEventListener('abort', () => intake.close());
    const { readTrace } = await import('../trace/trace');
    const deliver = (batch: Event[], share: number, nbytes: number) => {
      run.nbytes += nbytes;
      came += batch.length;
      read = share;
      if (show && run.nbytes > FIRST_BYTES) intake.add(batch);
      else take(batch);
    };
    try {
      await readTrace(file, deliver, signal);
      await new Promise<void>((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
        intake.after(resolve);
      });
    } finally {
      intake.close();
    }
  }

  cancel(): void {
    this.#stop?.abort(CANCELLED);
    this.#stop = null;
    this.file = null;
  }
}

export const opening = new Opening();
