// Making a file of the run: its progress, and how it is cancelled.

/** A file that is made within this needs no word, in milliseconds. */
const PATIENCE_MS = 300;

/** A function that makes a file: it reports the share that is done, and ends early with its signal. */
type Make = (report: (share: number) => void, signal: AbortSignal) => Promise<Blob | null>;

/** One file at a time: another one calls off what is under way. */
export class Saving {
  /** The file that is being made, and what share of it is, null where that is not known; null where none is, or not for long. */
  file = $state.raw<{ name: string; share: number | null } | null>(null);
  /** Something else on the page shows how far it is. */
  watched = $state(false);
  #stop: AbortController | null = null;

  /** The file; null where there is nothing to make it of, or where it was called off.  Throws an error that says why not. */
  async make(name: string, make: Make): Promise<Blob | null> {
    this.cancel();
    const stop = new AbortController();
    this.#stop = stop;
    let share: number | null = null;
    const show = () => {
      if (this.#stop === stop) this.file = { name, share };
    };
    const patience = setTimeout(show, PATIENCE_MS);
    const report = (now: number) => {
      share = now;
      if (this.#stop === stop && this.file) show();
    };
    try {
      const made = await make(report, stop.signal);
      return stop.signal.aborted ? null : made;
    } catch (error) {
      if (stop.signal.aborted) return null;
      throw error;
    } finally {
      clearTimeout(patience);
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

export const saving = new Saving();
