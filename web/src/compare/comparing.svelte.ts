// A comparison of two runs while the page goes on: its progress, and how it is cancelled.

import { inSlices } from '../find/work-slices';
import type { Events } from '../store/log';
import { type Comparison, compare } from './differences';

/** What is done within this needs no word, in milliseconds. */
const PATIENCE_MS = 300;

export class Comparing {
  comparison = $state.raw<Comparison | null>(null);
  /** What share is done; null while nothing is compared, or not for long. */
  share = $state<number | null>(null);
  /** The reader called it off. */
  off = $state(false);
  #stop: AbortController | null = null;

  /** Compares two runs; what was compared before is forgotten. */
  async begin(base: Events, here: Events): Promise<void> {
    this.forget();
    const stop = new AbortController();
    this.#stop = stop;
    const patience = performance.now() + PATIENCE_MS;
    const found = await inSlices(compare(base, here), stop.signal, (share) => {
      if (performance.now() >= patience) this.share = share;
    });
    if (this.#stop !== stop) return;
    this.share = null;
    this.comparison = found;
  }

  cancel(): void {
    this.forget();
    this.off = true;
  }

  forget(): void {
    this.#stop?.abort();
    this.#stop = null;
    this.comparison = null;
    this.share = null;
    this.off = false;
  }
}
