// The timing of a step: when the node wakes, the pulse travels, the number lands and the chip empties.

import type { StepEffects } from '../scene/parts';

/** Shares from 0 to 1 of each part of a transition that are over. */
export type Progress = { wake: number; travel: number; land: number; empty: number; appear: number };

/** Everything has arrived. */
export const ARRIVED: Progress = { wake: 1, travel: 1, land: 1, empty: 1, appear: 1 };

const WAKE = 80;
const TRAVEL = 240;
const LAND = 120;
const EMPTY = 200;
/** How long a whole transition takes when there is time for it, in milliseconds. */
const NATURAL = WAKE + TRAVEL + LAND + EMPTY;
/** Steps shorter than this show states only. */
const LEAST = 250;

function share(time: number, from: number, length: number): number {
  return Math.min(1, Math.max(0, (time - from) / length));
}

function easeOut(t: number): number {
  return 1 - (1 - t) ** 3;
}

/** One transition under way. */
export class Motion {
  readonly #factor: number;

  constructor(
    readonly effects: StepEffects,
    readonly began: number,
    durationMs: number,
  ) {
    this.#factor = NATURAL / Math.min(NATURAL, durationMs);
  }

  /** Whether a step of this length leaves time for a transition. */
  static fits(durationMs: number): boolean {
    return durationMs >= LEAST;
  }

  at(now: number): Progress {
    const time = (now - this.began) * this.#factor;
    return {
      wake: share(time, 0, WAKE),
      appear: share(time, 0, WAKE * 2),
      travel: easeOut(share(time, WAKE, TRAVEL)),
      land: easeOut(share(time, WAKE + TRAVEL, LAND)),
      empty: share(time, WAKE + TRAVEL + LAND, EMPTY),
    };
  }

  isOver(now: number): boolean {
    return (now - this.began) * this.#factor >= NATURAL;
  }
}
