// The timing of a step: when the node wakes and takes what it saved, the pulse travels, the number lands and the chip empties.

import type { StepEffects } from '../scene/parts/parts';

/** Shares from 0 to 1 of each part of a transition that are over. */
export type Progress = { wake: number; take: number; travel: number; land: number; empty: number; appear: number };

/** Everything has arrived. */
export const ARRIVED: Progress = { wake: 1, take: 1, travel: 1, land: 1, empty: 1, appear: 1 };

const WAKE = 80;
/** Saved tensors hand over what they hold. */
const TAKE = 150;
const TRAVEL = 240;
const LAND = 120;
const EMPTY = 200;
/** Steps shorter than this show states only. */
const LEAST = 250;

function share(time: number, from: number, length: number): number {
  return length > 0 ? Math.min(1, Math.max(0, (time - from) / length)) : Number(time >= from);
}

function easeOut(t: number): number {
  return 1 - (1 - t) ** 3;
}

/** One transition under way. */
export class Motion {
  readonly #factor: number;
  /** How long what comes before the travel takes, and all of it when there is time, in milliseconds. */
  readonly #ready: number;
  readonly #natural: number;

  constructor(
    readonly effects: StepEffects,
    readonly began: number,
    durationMs: number,
  ) {
    this.#ready = effects.taking ? WAKE + TAKE : WAKE;
    this.#natural = this.#ready + TRAVEL + LAND + EMPTY;
    this.#factor = this.#natural / Math.min(this.#natural, durationMs);
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
      take: easeOut(share(time, WAKE, this.#ready - WAKE)),
      travel: easeOut(share(time, this.#ready, TRAVEL)),
      land: easeOut(share(time, this.#ready + TRAVEL, LAND)),
      empty: share(time, this.#ready + TRAVEL + LAND, EMPTY),
    };
  }

  isOver(now: number): boolean {
    return (now - this.began) * this.#factor >= this.#natural;
  }
}
