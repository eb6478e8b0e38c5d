// The trace file that is being read for the stage.

import { opening } from '../run/opening.svelte';
import type { Run } from '../run/run.svelte';

export class StageTrace {
  #file: File | null = null;

  /** Read the run of a trace file; null where the reading was cancelled. */
  async read(file: File): Promise<Run | null> {
    this.#file = file;
    try {
      return await opening.read(file);
    } finally {
      if (this.#file === file) this.#file = null;
    }
  }

  /** Cancel the reading that is under way, if there is one. */
  cancel(): void {
    if (this.#file) opening.cancel();
  }
}
