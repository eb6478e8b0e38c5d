// Values over the events of a run, each valid from an event on.

import { lastAt } from './moments';

/** What an empty series holds: a run has hundreds of thousands of them. */
const NONE: readonly never[] = [];

/** Entries by the seq at which they came to hold, in ascending order. */
export class Series<T> {
  #seqs: number[] = NONE as unknown as number[];
  #entries: T[] = NONE as unknown as T[];

  get seqs(): readonly number[] {
    return this.#seqs;
  }

  get entries(): readonly T[] {
    return this.#entries;
  }

  push(seq: number, entry: T): void {
    if (this.#seqs.length === 0) {
      // Most series get one entry, and an array that one pushes to makes room for many.
      this.#seqs = [seq];
      this.#entries = [entry];
    } else {
      this.#seqs.push(seq);
      this.#entries.push(entry);
    }
  }

  /** The entry that holds at `seq`. */
  at(seq: number): T | undefined {
    return this.#entries[lastAt(this.#seqs, seq)];
  }

  /** How many entries there are up to `seq`. */
  count(seq: number): number {
    return lastAt(this.#seqs, seq) + 1;
  }
}
