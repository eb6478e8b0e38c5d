// Values over the events of a run, each valid from an event on.

import { lastAt } from './moments';

const NONE: readonly never[] = [];

/**
 * Entries by the seq at which they came to hold, in ascending order.  A run has hundreds of thousands of series, most with
 * one entry: it needs no lists.
 */
export class Series<T> {
  #first = -1;
  #entry: T | undefined = undefined;
  #seqs: number[] | null = null;
  #entries: T[] | null = null;

  get seqs(): readonly number[] {
    return this.#seqs ?? (this.#first < 0 ? NONE : [this.#first]);
  }

  get entries(): readonly T[] {
    return this.#entries ?? (this.#first < 0 ? NONE : [this.#entry as T]);
  }

  /** The last entry, undefined while there is none. */
  get last(): T | undefined {
    return this.#entries ? this.#entries[this.#entries.length - 1] : this.#entry;
  }

  push(seq: number, entry: T): void {
    if (this.#first < 0) {
      this.#first = seq;
      this.#entry = entry;
    } else if (this.#seqs) {
      this.#seqs.push(seq);
      this.#entries!.push(entry);
    } else {
      this.#seqs = [this.#first, seq];
      this.#entries = [this.#entry as T, entry];
    }
  }

  /** The entry that holds at `seq`. */
  at(seq: number): T | undefined {
    if (this.#seqs) return this.#entries![lastAt(this.#seqs, seq)];
    return seq < this.#first ? undefined : this.#entry;
  }

  /** How many entries there are up to `seq`. */
  count(seq: number): number {
    if (this.#seqs) return lastAt(this.#seqs, seq) + 1;
    return this.#first < 0 || seq < this.#first ? 0 : 1;
  }
}

/** The series of what never happened; nothing is pushed to it. */
export const EMPTY = new Series<never>();
