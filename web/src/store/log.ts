// The append-only log of a run: every event that has arrived, in order, each once.

import * as say from '../messages/connection';
import type { Event } from '../protocol/events';
import { Files } from '../protocol/file-lines';

/** Events by seq; what has arrived twice is kept once, what would leave a gap is refused. */
export class EventLog {
  readonly events: Event[] = [];
  /** The files of the program besides its main one. */
  files = new Files();
  #listeners = new Set<() => void>();

  /** True once the program is over. */
  get finished(): boolean {
    return this.events.at(-1)?.kind === 'program_finished';
  }

  /** Takes the next events; raises RangeError where one is missing. */
  append(batch: readonly Event[]): void {
    const before = this.events.length;
    for (const event of batch) {
      if (event.seq < this.events.length) continue;
      if (event.seq > this.events.length) {
        throw new RangeError(say.eventMissing(this.events.length, event.seq));
      }
      this.files.read(event);
      this.events.push(event);
    }
    if (this.events.length > before) this.#notify();
  }

  /** Forgets everything; those who listen must begin anew. */
  clear(): void {
    this.events.length = 0;
    this.files = new Files();
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
