// The trace file that is being read for the stage, without a server.

import * as say from '../messages/page/app';
import { opening } from '../run/opening.svelte';
import type { Run } from '../run/run.svelte';
import { problemNotice } from './notice';
import type { Workbench } from './workbench.svelte';

export class StageTrace {
  /** Lets the reader choose the file to open; null on a page that opens none. */
  choose: (() => void) | null = null;
  #file: File | null = null;

  constructor(private readonly bench: Pick<Workbench, 'notice' | 'lesson' | 'leave' | 'show' | 'run'>) {}

  /**
   * Shows a trace file, a large one while it is read. Where its reading is cancelled or fails, the run before stays in
   * sight, or what was read once some of it is shown.
   */
  async open(file: File): Promise<void> {
    const { bench } = this;
    bench.notice = null;
    this.#file = file;
    let shown: Run | null = null;
    const show = (run: Run) => {
      if (shown === null) {
        shown = run;
        bench.lesson = null;
        bench.leave();
        bench.show(run, null);
      } else if (bench.run !== run) this.cancel();
    };
    const stay = (reason: string) => {
      if (shown) shown.connection = { state: 'ended', reason };
    };
    try {
      const run = await opening.read(file, show);
      if (run) show(run);
      else stay(say.readingCancelled(file.name));
    } catch (error) {
      const problem = problemNotice(error, `${file.name}: `);
      if (shown) stay(problem.text);
      else bench.notice = problem;
    } finally {
      if (this.#file === file) this.#file = null;
    }
  }

  /** Cancels the reading that is under way, if there is one. */
  cancel(): void {
    if (this.#file) opening.cancel();
  }
}
