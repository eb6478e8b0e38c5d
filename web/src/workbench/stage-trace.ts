// The trace file that is being read for the stage, without a server.

import { opening } from '../run/opening.svelte';
import { problemNotice } from './notice';
import type { Workbench } from './workbench.svelte';

export class StageTrace {
  #file: File | null = null;

  constructor(private readonly bench: Pick<Workbench, 'notice' | 'lesson' | 'leave' | 'show'>) {}

  /** Shows a trace file, unless its reading is cancelled. */
  async open(file: File): Promise<void> {
    const { bench } = this;
    bench.notice = null;
    this.#file = file;
    try {
      const run = await opening.read(file);
      if (!run) return;
      bench.lesson = null;
      bench.leave();
      bench.show(run, null);
    } catch (error) {
      bench.notice = problemNotice(error, `${file.name}: `);
    } finally {
      if (this.#file === file) this.#file = null;
    }
  }

  /** Cancels the reading that is under way, if there is one. */
  cancel(): void {
    if (this.#file) opening.cancel();
  }
}
