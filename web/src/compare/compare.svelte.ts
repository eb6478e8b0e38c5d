// What the page's run is held against: the run that was kept as its baseline, and what of it differs on the stage.

import type { Run } from '../app/run.svelte';

export class Compare {
  baseline = $state.raw<Run | null>(null);
  /** What the program of the baseline is called. */
  name = $state('');
  /** A word for each thing on the stage that differs, by the text of its target; null while nothing is compared. */
  marks = $state.raw<ReadonlyMap<string, string> | null>(null);

  /** Keeps a run; it stays as it is whatever is run after it. */
  keep(run: Run, name: string): void {
    this.baseline = run;
    this.name = name;
  }

  forget(): void {
    this.baseline = null;
    this.marks = null;
  }
}
