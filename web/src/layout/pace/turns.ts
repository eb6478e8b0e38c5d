// Work in turns with the page: for as long as a pace lets it, and on in the next slice.

import type { Pace } from './slices';

/** Work that may be left for a while wherever it yields; what is half done is not seen by others. */
export type Work = Generator<void, void>;

export class Turns {
  #work: Work | null = null;
  #behind = false;

  /** `begin` gives the work; `after` is called after each turn, with whether it was not the first. */
  constructor(
    private readonly pace: Pace | null,
    private readonly begin: () => Work,
    private readonly after: (late: boolean) => void,
  ) {}

  /** Whether a turn is to come. */
  get behind(): boolean {
    return this.#behind;
  }

  /** Takes the first turn, unless another is to come, which finds all that there is to do. */
  start(): void {
    if (!this.#behind) this.#take();
  }

  /** Takes no more. */
  stop(): void {
    this.pace?.stop();
  }

  #take(): void {
    this.#work ??= this.begin();
    this.pace?.begin();
    let done = this.#work.next().done;
    while (!done && !this.pace?.over()) done = this.#work.next().done;
    const late = this.#behind;
    this.#behind = !done;
    if (done) this.#work = null;
    else this.pace?.next(() => this.#take());
    this.after(late);
  }
}
