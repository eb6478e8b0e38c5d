// Entries by the event from which on they hold.

import { lastAt } from './moments';

/** Entries by the seq at which they came to hold, in ascending order. */
export class Series<T> {
  readonly seqs: number[] = [];
  readonly entries: T[] = [];

  push(seq: number, entry: T): void {
    this.seqs.push(seq);
    this.entries.push(entry);
  }

  /** The entry that holds at `seq`. */
  at(seq: number): T | undefined {
    return this.entries[lastAt(this.seqs, seq)];
  }

  /** How many entries there are up to `seq`. */
  count(seq: number): number {
    return lastAt(this.seqs, seq) + 1;
  }
}
