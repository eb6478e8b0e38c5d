// The layout of the run on the stage, which is kept where laying it out again would take time that one notices.

import type { Breadth } from '../layout/label';
import { MirrorLayout } from '../layout/mirror';
import { Slices } from '../layout/pace/slices';
import type { EventLog } from '../store/log';

/** A stop in a forward pass cuts the graph where it is: once the program goes on, up to so many events are laid out as one again. */
const MOST_EVENTS = 20_000;
/** Events of a run that takes the place of another one at once, without a blank stage in between. */
const MOST_REPLACED = 5000;

export class RunLayout {
  #kept: MirrorLayout | null = null;

  /** The layout of a log on a stage of a breadth; all of it at once where the run `replaces` one that was seen. */
  of(log: EventLog, breadth: Breadth, replaces: boolean): MirrorLayout {
    const kept = this.#kept?.log === log ? this.#kept : null;
    const { length } = log;
    if (kept?.breadth === breadth && length > MOST_EVENTS) return kept;
    // What was there is there again at once; else a large graph comes in slices, and the page answers in between.
    const whole = (kept !== null && length <= MOST_EVENTS) || (replaces && length < MOST_REPLACED);
    this.#kept = new MirrorLayout(log, new Slices({ whole }), breadth);
    return this.#kept;
  }
}
