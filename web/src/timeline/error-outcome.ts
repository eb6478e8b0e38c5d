// The outcome of each error: the program caught it and went on, or it ended the program.

import type { ErrorRaised, Event } from '../protocol/events';
import { STEPS } from '../protocol/steps';

const GOES_ON: ReadonlySet<Event['kind']> = new Set<Event['kind']>(STEPS.goes_on);

/** The outcomes of the errors of a log, kept up event by event. */
export class ErrorOutcomes {
  readonly #caught = new Set<number>();
  /** The last error of the engine, which may yet leave the program. */
  #open: ErrorRaised | null = null;
  /** The error that ended the program. */
  ended: ErrorRaised | null = null;

  /** Takes the next event. */
  add(event: Event): void {
    if (event.kind === 'error_raised') {
      if (this.#open) this.#caught.add(this.#open.seq);
      if (event.stage === 'engine') {
        this.#open = event;
        return;
      }
      // What `finally` and `with` did on the way out looked as if the program went on.
      if (this.#open && isSame(this.#open, event)) this.#caught.delete(this.#open.seq);
      this.#open = null;
      this.ended = event;
    } else if (
      this.#open &&
      (GOES_ON.has(event.kind) || (event.kind === 'program_finished' && event.status === 'ok'))
    ) {
      this.#caught.add(this.#open.seq);
    }
  }

  /** Whether the program caught an error, as far as is known. */
  isCaught(error: { seq: number }): boolean {
    return this.#caught.has(error.seq);
  }
}

function isSame(a: ErrorRaised, b: ErrorRaised): boolean {
  return a.type === b.type && a.message === b.message;
}
