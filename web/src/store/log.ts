// The append-only log of a run: every event that has arrived, in order, each once.

import * as say from '../messages/connection';
import type { Event } from '../protocol/events';
import { Files } from '../protocol/file-lines';

type Kind = Event['kind'];

/** Events by seq as readers have them: a log, or a list.  Who keeps one of them long keeps its seq. */
export interface Events extends Iterable<Event> {
  readonly length: number;
  /** An event; a negative seq counts from the end. */
  at(seq: number): Event | undefined;
  /** The events from `first` to the one before `end`. */
  slice(first: number, end: number): Event[];
}

/** Events by seq; what has arrived twice is kept once, what would leave a gap is refused. */
export class EventLog implements Events {
  readonly #events: Event[] = [];
  /** The files of the program besides its main one. */
  files = new Files();
  /** The line that the program came to last. */
  line: number | null = null;
  #listeners = new Set<() => void>();

  get length(): number {
    return this.#events.length;
  }

  at(seq: number): Event | undefined {
    return this.#events.at(seq);
  }

  slice(first: number, end: number): Event[] {
    return this.#events.slice(first, end);
  }

  [Symbol.iterator](): Iterator<Event> {
    return this.#events.values();
  }

  /** The kind of an event, which takes less than the event. */
  kindAt(seq: number): Kind | undefined {
    return this.at(seq)?.kind;
  }

  /** The events of some kinds from `first` to the one before `end`, in order. */
  *of<K extends Kind>(
    kinds: readonly K[],
    first = 0,
    end = Number.POSITIVE_INFINITY,
  ): Generator<Extract<Event, { kind: K }>, void> {
    const wanted: ReadonlySet<Kind> = new Set(kinds);
    for (let seq = first; seq < Math.min(end, this.length); seq += 1) {
      if (wanted.has(this.kindAt(seq)!)) yield this.at(seq) as Extract<Event, { kind: K }>;
    }
  }

  /** True once the program is over. */
  get finished(): boolean {
    return this.kindAt(-1) === 'program_finished';
  }

  /** Takes the next events; raises RangeError where one is missing. */
  append(batch: readonly Event[]): void {
    const before = this.length;
    for (const event of batch) {
      if (event.seq < this.length) continue;
      if (event.seq > this.length) {
        throw new RangeError(say.eventMissing(this.length, event.seq));
      }
      this.files.read(event);
      this.line = event.line ?? this.line;
      this.#events.push(event);
    }
    if (this.length > before) this.#notify();
  }

  /** Forgets everything; those who listen must begin anew. */
  clear(): void {
    this.#events.length = 0;
    this.files = new Files();
    this.line = null;
    this.#notify();
  }

  /** Calls `listener` after every change; returns what ends that. */
  onAppend(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}
