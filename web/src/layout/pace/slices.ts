// Slices: how long the layout may work before the page gets its turn, and how it is called again.

/** When a layout may go on, and when it has to leave the page its turn. */
export type Pace = {
  /** A slice begins; the first one may take longer, so that a small graph is there at once. */
  begin(): void;
  /** Whether the slice has taken its time. */
  over(): boolean;
  /** Calls back for the next slice, once the page had its turn. */
  next(run: () => void): void;
  /** Calls back no more. */
  stop(): void;
};

/** Items between two places where the work may rest: often enough, and no oftener, as each rest takes time itself. */
export const PORTION = 64;

/** What a small graph may take at once. */
const FIRST_MS = 24;
/** What one slice of a large one takes: a step waits for it, and for the garbage that is collected in it. */
export const SLICE_MS = 4;

/** Slices by the clock: long ones until one was not enough, the first without an end where it is to be `whole`. */
export class Slices implements Pace {
  #end = 0;
  #whole: boolean;
  #length: number;
  #channel: MessageChannel | null = null;

  constructor({ whole = false, first = FIRST_MS } = {}) {
    this.#whole = whole;
    this.#length = first;
  }

  begin(): void {
    this.#end = this.#whole ? Number.POSITIVE_INFINITY : performance.now() + this.#length;
    this.#whole = false;
  }

  over(): boolean {
    return performance.now() >= this.#end;
  }

  next(run: () => void): void {
    this.#length = SLICE_MS;
    // A message, as timers of a hidden page wait for seconds.
    this.#channel ??= new MessageChannel();
    this.#channel.port1.onmessage = run;
    this.#channel.port2.postMessage(null);
  }

  stop(): void {
    if (!this.#channel) return;
    this.#channel.port1.onmessage = null;
    this.#channel.port1.close();
    this.#channel = null;
  }
}
