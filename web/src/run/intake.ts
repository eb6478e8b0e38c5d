// Takes the events of a run as they come, in slices and at a pace that leave the page time to answer its reader.

import { tick } from 'svelte';
import { Slices } from '../layout/pace/slices';
import type { Event } from '../protocol/events';

/** Resolves when what has changed is on the screen, or would be if the page were in sight. */
export async function painted(): Promise<void> {
  await tick();
  await new Promise((resolve) => {
    requestAnimationFrame(resolve);
    setTimeout(resolve, HIDDEN_MS);
  });
}

const HIDDEN_MS = 100;
/** Parts of the time that the page rests for each part that it works on what is shown. */
const REST = 3;
const LONGEST_REST_MS = 1000;
/** So many times as long as a rest it takes until more is shown while more waits than a slice takes. */
const BEHIND = 3;
/** How long events are taken at once, at first. */
const FIRST_MS = 8;
/** Events that are taken between two looks at the clock. */
const PORTION = 128;

/** What is done with events. */
export type Showing = {
  /** Takes the next events; they need not be shown yet. */
  take(batch: Event[]): void;
  /** Shows all that was taken. */
  show(): void;
  /** Resolves when that is on the screen. */
  shown(): Promise<void>;
};

export class Intake {
  /** Events that wait, and what is to happen behind them. */
  readonly #queue: (readonly Event[] | (() => void))[] = [];
  /** How many events of the first batch were taken. */
  #at = 0;
  /** Events were taken that are not shown. */
  #unshown = false;
  /** The program stopped or ended, or something waits for events to be shown: no rest. */
  #urgent = false;
  /** A slice is to come. */
  #sliced = false;
  /** A slice is under way. */
  #working = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #notBefore = 0;
  #lastRest = 0;
  /** Events that were taken are being shown. */
  #busy = false;
  readonly #pace = new Slices({ first: FIRST_MS });

  constructor(private readonly showing: Showing) {}

  /** Takes what came; where the program stops or ends there and then, with all that waits before. */
  add(batch: readonly Event[]): void {
    this.#queue.push(batch);
    const last = batch.at(-1)?.kind;
    if (last === 'paused' || last === 'program_finished') this.flush();
    else this.#goOn();
  }

  /** Calls `run` once all that came before is shown, before anything that comes later. */
  after(run: () => void): void {
    this.#queue.push(run);
    this.flush();
  }

  /** Shows all that waits, without a rest: at once where that takes a slice. */
  flush(): void {
    this.#urgent = true;
    if (!this.#sliced) this.#work();
  }

  /** Shows nothing more. */
  close(): void {
    clearTimeout(this.#timer);
    this.#queue.length = 0;
    this.#at = 0;
    this.#unshown = this.#urgent = this.#sliced = false;
    this.#pace.stop();
  }

  get #mayShow(): boolean {
    return this.#urgent || (!this.#busy && performance.now() >= this.#notBefore);
  }

  /** Works now, or once the page had its rest. */
  #goOn(): void {
    if (this.#sliced || (this.#queue.length === 0 && !this.#unshown)) return;
    if (this.#mayShow) this.#work();
    else if (!this.#busy) this.#timer ??= setTimeout(() => this.#work(), this.#notBefore - performance.now());
  }

  /** Takes a slice of what waits; what comes meanwhile is taken with it. */
  #work(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#working) return;
    this.#working = true;
    this.#sliced = false;
    this.#pace.begin();
    try {
      while (this.#queue.length > 0 || (this.#unshown && this.#mayShow)) {
        const first = this.#queue[0];
        if (typeof first === 'object') this.#take(first);
        else if (this.#unshown) this.#show();
        else {
          this.#queue.shift();
          first?.();
        }
        if (this.#queue.length > 0 && this.#pace.over()) {
          this.#rest();
          return;
        }
      }
      this.#pace.stop();
      this.#urgent = false;
    } finally {
      this.#working = false;
    }
    this.#goOn();
  }

  /** Leaves the page its turn; what came is in sight long before the last of it. */
  #rest(): void {
    if (!this.#busy && performance.now() >= this.#notBefore + (BEHIND - 1) * this.#lastRest) this.#show();
    this.#sliced = this.#queue.length > 0;
    if (this.#sliced) this.#pace.next(() => this.#work());
  }

  #take(batch: readonly Event[]): void {
    const portion = batch.slice(this.#at, this.#at + PORTION);
    this.#at += PORTION;
    if (this.#at >= batch.length) {
      this.#queue.shift();
      this.#at = 0;
    }
    this.#unshown = true;
    this.showing.take(portion);
  }

  #show(): void {
    if (!this.#unshown) return;
    this.#unshown = false;
    this.#busy = true;
    const begun = performance.now();
    this.showing.show();
    void this.showing.shown().then(() => {
      this.#busy = false;
      const now = performance.now();
      this.#lastRest = Math.min(LONGEST_REST_MS, REST * (now - begun));
      this.#notBefore = now + this.#lastRest;
      this.#goOn();
    });
  }
}
