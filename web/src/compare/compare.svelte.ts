// What the page's run is held against: the run that was kept as its baseline, else the one before the edit.

import type { OpEntry } from '../run/api';
import type { Run } from '../run/run.svelte';
import type { Target } from '../scene/target';
import { isEditOf } from './kin';

/** The text of the events of a run that is kept without being asked for; in memory they take about three times as much. */
export const MOST_BYTES = 1 << 26;

/** What the comparison needs of the page. */
export type ComparePage = {
  readonly compare: Compare;
  readonly run: Run | null;
  readonly title: string | null;
  readonly catalogue: { readonly ops: readonly OpEntry[] };
  select(target: Target | null): void;
  moveToSeq(seq: number): void;
};

export class Compare {
  baseline = $state.raw<Run | null>(null);
  /** The run before the last edit; null where the program was not edited, or is another one. */
  previous = $state.raw<Run | null>(null);
  /** The bytes of the run before the last edit, where they are too many to be kept. */
  tooLarge = $state.raw<number | null>(null);
  /** What the page's run is compared with. */
  readonly base = $derived(this.baseline ?? this.previous);
  /** What the program of the baseline is called. */
  name = $state('');
  /** A word for each thing on the stage that differs, by the text of its target; null while nothing is compared. */
  marks = $state.raw<ReadonlyMap<string, string> | null>(null);
  /** Another program came into the editor since the last run. */
  #isOther = false;

  /** Keeps a run; it stays as it is whatever is run after it. */
  keep(run: Run, name: string): void {
    this.baseline = run;
    this.name = name;
  }

  /** Marks the next run as one of another program, which has no run before an edit. */
  leaveProgram(): void {
    this.#isOther = true;
  }

  /**
   * Keeps the run that was shown until now as the one before the edit that `next` is of. A program that runs again without an
   * edit keeps the run that it was compared with. `isEdit`: it is known that nothing but a number was changed.
   */
  succeed(before: Run | null, next: Run, isEdit = false): void {
    const isOther = this.#isOther;
    this.#isOther = false;
    if (!isOther && before && (before === next || before.source === next.source)) return;
    const isBefore =
      !isOther && before?.finished && before.length > 0 && (isEdit || isEditOf(before.source, next.source));
    const isKept = isBefore && before.nbytes <= MOST_BYTES;
    this.previous = isKept ? before : null;
    this.tooLarge = isBefore && !isKept ? before.nbytes : null;
  }

  forget(): void {
    this.baseline = null;
    this.previous = null;
    this.tooLarge = null;
    this.marks = null;
  }
}
