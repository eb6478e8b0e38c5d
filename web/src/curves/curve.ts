// The values of one expression over a run, and its line in the columns of a drawing.

import { number } from '../format/number';
import * as say from '../messages/timeline/curves';
import type { Scalar } from '../protocol/events';

/** What an expression is: a number, a text, or null where it has no value yet. */
export type Value = { number: Scalar } | { text: string } | null;

/** A column of a drawing: the numbers in it, from which to which it goes, and whether there is something else. */
export type Column = { least: number; most: number; last: number; other: 'text' | 'bad' | null } | null;

/** The changes of one expression, in the order of events. */
export class Curve {
  readonly seqs: number[] = [];
  readonly values: Value[] = [];
  least = Number.POSITIVE_INFINITY;
  most = Number.NEGATIVE_INFINITY;

  /** Takes the next change. */
  add(seq: number, figure: Scalar | null, text: string | null): void {
    this.seqs.push(seq);
    this.values.push(figure !== null ? { number: figure } : text !== null ? { text } : null);
    if (typeof figure === 'number') {
      this.least = Math.min(this.least, figure);
      this.most = Math.max(this.most, figure);
    }
  }

  /** Whether it ever was a finite number. */
  get drawn(): boolean {
    return this.least <= this.most;
  }

  /** What it was after an event. */
  at(seq: number): Value {
    const index = this.#before(seq);
    return index < 0 ? null : this.values[index]!;
  }

  /** Columns of a drawing; `ends` has the last event of each, in order. */
  columns(ends: readonly number[]): Column[] {
    let index = -1;
    return ends.map((end) => {
      let column = step(null, index < 0 ? null : this.values[index]!);
      while (index + 1 < this.seqs.length && this.seqs[index + 1]! <= end) {
        index += 1;
        column = step(column, this.values[index]!);
      }
      return column;
    });
  }

  #before(seq: number): number {
    let low = 0;
    let high = this.seqs.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.seqs[middle]! <= seq) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

function step(column: Column, value: Value): Column {
  if (value === null) return column && { ...column, last: Number.NaN };
  if ('text' in value) return column ? { ...column, other: column.other ?? 'text' } : nothing('text');
  if (typeof value.number !== 'number') return column ? { ...column, other: 'bad' } : nothing('bad');
  const least = Math.min(column?.least ?? Number.POSITIVE_INFINITY, value.number);
  const most = Math.max(column?.most ?? Number.NEGATIVE_INFINITY, value.number);
  return { least, most, last: value.number, other: column?.other ?? null };
}

function nothing(other: 'text' | 'bad'): Column {
  return { least: Number.POSITIVE_INFINITY, most: Number.NEGATIVE_INFINITY, last: Number.NaN, other };
}

/** A value in words for its row. */
export function worded(value: Value): string {
  if (value === null) return say.notDefinedHere;
  return 'text' in value ? value.text : number(value.number);
}
