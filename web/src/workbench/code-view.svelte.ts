// The lines of the program that the editor brings into view, offers for a change, and marks as those of the selection.

import { lineOf, madeBy } from '../facts/actor';
import type { Workbench } from './workbench.svelte';

export class CodeView {
  /** A line that the reader asked to see; another object each time. */
  lineToShow = $state.raw<{ line: number } | null>(null);
  /** A number at a line, or after it, that the editor is to offer for a change. */
  numberOffered = $state.raw<{ line: number | null } | null>(null);

  constructor(private readonly bench: Pick<Workbench, 'run' | 'selection' | 'stale'>) {}

  /** The lines that what is selected comes from. */
  readonly selectedLines = $derived.by((): number[] => {
    const { run, selection } = this.bench;
    const line = run && selection ? lineOf(run.mentions, selection) : null;
    return line === null ? [] : [line];
  });

  /** Brings a line of the program into view. */
  showLine(line: number): void {
    this.lineToShow = { line };
  }

  /** Selects what a line of the program made last, up to the cursor; an edited program has no such lines. */
  selectLine(line: number): void {
    const { run, stale } = this.bench;
    if (!run || stale) return;
    const made = madeBy(run.mentions.ofLine(line, run.seq));
    if (made) this.bench.selection = made;
  }
}
