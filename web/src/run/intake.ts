// Takes the events of a run as they come, in portions that leave the page time to answer its reader.

import { tick } from 'svelte';
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
/** Parts of the time that the page rests for each part that it works on events. */
const REST = 3;
const LONGEST_REST_MS = 1000;

export class Intake {
  #queue: Event[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #notBefore = 0;
  /** Events that were taken are being shown. */
  #busy = false;

  /** `take` shows events, `shown` resolves when they are shown. */
  constructor(
    private readonly take: (batch: Event[]) => void,
    private readonly shown: () => Promise<void>,
  ) {}

  /** Takes what came; where the program stops or ends there and then, with all that waits before. */
  add(batch: readonly Event[]): void {
    for (const event of batch) this.#queue.push(event);
    const last = batch.at(-1)?.kind;
    const wait = this.#notBefore - performance.now();
    if (last === 'paused' || last === 'program_finished') this.flush();
    else if (this.#busy) return;
    else if (wait <= 0) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), wait);
  }

  /** Shows all that waits. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#queue.length === 0) return;
    const batch = this.#queue;
    this.#queue = [];
    const begun = performance.now();
    this.take(batch);
    this.#busy = true;
    void this.shown().then(() => {
      this.#busy = false;
      const now = performance.now();
      this.#notBefore = now + Math.min(LONGEST_REST_MS, REST * (now - begun));
      if (this.#queue.length > 0) this.#timer ??= setTimeout(() => this.flush(), this.#notBefore - now);
    });
  }

  /** Shows nothing more. */
  close(): void {
    clearTimeout(this.#timer);
    this.#queue = [];
  }
}
