// The notes on the run that is shown, and the note of which the reader has opened the step.

import { inSlices } from '../find/work-slices';
import type { Run } from '../run/run.svelte';
import type { Target } from '../scene/target';
import { litBy, type Note } from './note';
import { noticed } from './noticed';

/** The part of the page that the notes need. */
export type NoticedPage = {
  noticing: Noticing | null;
  readonly run: Run | null;
  moveToSeq(seq: number): void;
  select(target: Target | null): void;
};

/** Begins to read the log of a finished run for notes, unless that has begun. */
export default function notice(page: NoticedPage, run: Run): void {
  if (page.noticing?.run === run) return;
  page.noticing?.stop();
  page.noticing = new Noticing(run);
  void page.noticing.read();
}

/** The notes on one run, once it is finished. It outlives what made it, so nothing in it is derived. */
export class Noticing {
  notes = $state.raw<readonly Note[]>([]);
  /** The note that the reader wants to see. */
  shown = $state.raw<Note | null>(null);
  readonly #stop = new AbortController();

  constructor(readonly run: Run) {}

  /** Reads the log, while the page goes on. */
  async read(): Promise<void> {
    const { log, timeline, firstNans } = this.run;
    this.notes = (await inSlices(noticed(log, timeline.history, firstNans), this.#stop.signal)) ?? [];
  }

  stop(): void {
    this.#stop.abort();
  }

  /** The notes on what has happened at a moment. */
  at(seq: number): readonly Note[] {
    return this.notes.filter(({ known }) => known <= seq);
  }

  /** The note that is about the step shown now. */
  get now(): Note | null {
    const note = this.shown;
    return note && this.run.cursor === this.run.timeline.momentOfSeq(note.seq) ? note : null;
  }

  /** The things that the stage lights up for it. */
  get lit(): ReturnType<typeof litBy> | null {
    return this.now && litBy(this.now);
  }

  /** Goes to the step of a note; what it is about is lit there. */
  show(note: Note, page: NoticedPage): void {
    this.shown = note;
    page.moveToSeq(note.seq);
    const [first] = note.tensors;
    page.select(first === undefined ? null : { type: 'tensor', tensor: first });
  }
}
