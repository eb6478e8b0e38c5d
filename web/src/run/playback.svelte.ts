// Playing a run: one moment after the other at a chosen speed, until the end or until a moment that was named.

import type { Run } from './run.svelte';
import { readSpeed, type Speed, stepDuration } from './speed';
import type { Unit } from './unit';

const KEY = 'backscope.speed';

/** Moves the cursor of a run by the clock. */
export class Playback {
  playing = $state(false);
  speed = $state<Speed>(readSpeed(localStorage.getItem(KEY)) ?? 'reading');
  /** The size of a step that the reader has not chosen: more than a node while the graph is shown as boxes. */
  suited = $state<Unit>('node');
  #chosen = $state<Unit | null>(null);
  /** Gives the sentence of the current step; empty where the page shows none. */
  caption: () => string = () => '';
  #run: Run | null = null;
  #until: number | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** The size of a step. */
  get unit(): Unit {
    return this.#chosen ?? this.suited;
  }

  set unit(unit: Unit) {
    this.#chosen = unit;
  }

  /** Milliseconds that the current step of a run is shown. */
  durationOf(run: Run): number {
    return stepDuration(this.speed, run.moment?.phase ?? 'forward', this.caption);
  }

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
    localStorage.setItem(KEY, speed);
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
    if (reached || (run.atEnd && !run.grows)) {
      this.pause();
      return;
    }
    if (!run.atEnd) run.stepUnit(this.unit, 1, this.#until);
    this.#timer = setTimeout(() => this.#advance(), this.durationOf(run));
  }
}
