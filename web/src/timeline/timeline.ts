// The timeline of a run: its moments, the state at any of them, and the ways to find one.

import type { Event } from '../protocol/events';
import type { EventLog } from '../store/log';
import { History } from './history';
import { Memory, type MemorySeries } from './memory';
import { type Moment, Moments } from './moments';
import { RunState } from './state';

/** Follows a log; what is asked of it is as of the last event that was appended. */
export class Timeline {
  #read = 0;
  #moments = new Moments();
  #history = new History();
  #memory = new Memory();
  #backwards: number[] = [];
  #lines = new Map<number, number[]>();
  #listeners = new Set<() => void>();
  #last: RunState | null = null;

  constructor(readonly log: EventLog) {
    this.#update();
    log.onAppend(() => this.#update());
  }

  get moments(): Moment[] {
    return this.#moments.all;
  }

  get history(): History {
    return this.#history;
  }

  /** The state after moment `cursor`; -1 is before the first. */
  stateAt(cursor: number): RunState {
    const moment = this.moments[Math.min(cursor, this.moments.length - 1)];
    const seq = moment?.last ?? -1;
    const index = moment?.index ?? -1;
    if (this.#last?.seq !== seq || this.#last.moment !== index || this.#last.history !== this.#history) {
      this.#last = new RunState(this.#history, seq, index, moment?.line ?? null, moment ? this.eventsOf(moment) : []);
    }
    return this.#last;
  }

  /** The moment that an event belongs to, -1 before the first. */
  momentOfSeq(seq: number): number {
    return this.#moments.ofSeq(seq);
  }

  /** The first moment at or after `from` that begins a backward pass. */
  nextBackward(from: number): number | null {
    return this.#backwards.find((index) => index >= from) ?? null;
  }

  /** The last moment before `from` that begins a backward pass. */
  previousBackward(from: number): number | null {
    return this.#backwards.findLast((index) => index < from) ?? null;
  }

  /** The moments that a line of the program made, in order. */
  momentsOfLine(line: number): number[] {
    return this.#lines.get(line) ?? [];
  }

  /** Bytes in use after each moment. */
  memory(): MemorySeries {
    return this.#memory;
  }

  /** The events of a moment. */
  eventsOf(moment: Moment): Event[] {
    return this.log.slice(moment.first, moment.last + 1);
  }

  /** Calls `listener` after every change; returns what ends that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #update(): void {
    if (this.log.length < this.#read) {
      this.#read = 0;
      this.#moments = new Moments();
      this.#history = new History();
      this.#memory = new Memory();
      this.#backwards = [];
      this.#lines = new Map();
    }
    const known = (node: number) => this.#history.nodes.get(node);
    for (; this.#read < this.log.length; this.#read += 1) {
      const event = this.log.at(this.#read)!;
      const before = this.moments.length;
      this.#history.add(event);
      this.#moments.add(event, known);
      const moment = this.moments.at(-1);
      // What comes before a moment that has not begun belongs to that one, not to the last.
      this.#memory.add(event, moment && moment.last >= event.seq ? moment.index : -1);
      if (!moment || this.moments.length === before) continue;
      if (moment.kind === 'backward_started') this.#backwards.push(moment.index);
      if (moment.line !== null) {
        const list = this.#lines.get(moment.line);
        if (list) list.push(moment.index);
        else this.#lines.set(moment.line, [moment.index]);
      }
    }
    for (const listener of this.#listeners) listener();
  }
}
