// What the page's run is held against: the run that was kept as its baseline, and what of it differs on the stage.

import type { OpEntry } from '../run/api';
import type { Run } from '../run/run.svelte';
import type { Target } from '../scene/target';

/** What the comparison needs of the page. */
export type ComparePage = {
  readonly compare: Compare;
  readonly run: Run | null;
  readonly title: string | null;
  readonly ops: readonly OpEntry[];
  select(target: Target | null): void;
  moveToSeq(seq: number): void;
};

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
