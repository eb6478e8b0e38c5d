// Playing a run: one moment after the other at a chosen speed, until the end or until a moment that was named.

import type { Run } from './run.svelte';
import type { Unit } from './unit';

export const SPEEDS = [0.5, 1, 2, 4, 8, 16] as const;
export type Speed = (typeof SPEEDS)[number];

const KEY = 'backscope.speed';
const BACKWARD_MS = 900;
const FORWARD_MS = 450;

/** Milliseconds that the arrival at a moment of this phase lasts at a speed. */
export function momentDuration(phase: string, speed: number): number {
  return (phase === 'backward' ? BACKWARD_MS : FORWARD_MS) / speed;
}

/** Moves the cursor of a run by the clock. */
export class Playback {
  playing = $state(false);
  speed = $state<Speed>(SPEEDS.find((speed) => speed === Number(localStorage.getItem(KEY))) ?? 1);
  /** What one step takes in. */
  unit = $state<Unit>('node');
  #run: Run | null = null;
  #until: number | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Plays a run from its cursor, to the moment `until` or to its end; from the start when it is at its end. */
  play(run: Run, until: number | null = null): void {
    this.pause();
    if (run.finished && run.atEnd) run.moveTo(-1);
    this.#run = run;
    this.#until = until;
    this.playing = true;
    this.#advance();
  }

  pause(): void {
    clearTimeout(this.#timer);
    this.playing = false;
    this.#run = null;
  }

  choose(speed: Speed): void {
    this.speed = speed;
    localStorage.setItem(KEY, String(speed));
  }

  /** Chooses the next of the units that a run can be stepped in. */
  nextUnit({ units }: Run): void {
    const at = units.indexOf(this.unit);
    this.unit = units[(at + 1) % units.length]!;
  }

  #advance(): void {
    const run = this.#run;
    if (!run) return;
    const reached = this.#until !== null && run.cursor >= this.#until;
    if (reached || (run.atEnd && run.status !== 'running')) {
      this.pause();
      return;
    }
    if (!run.atEnd) run.stepUnit(this.unit, 1, this.#until);
    this.#timer = setTimeout(() => this.#advance(), momentDuration(run.moment?.phase ?? 'forward', this.speed));
  }
}
