// The backward passes that are under way, and whether they are recorded.

export class Passes {
  /** Whether each pass under way is itself recorded, outermost first. */
  readonly #recorded: boolean[] = [];
  /** The event at which a pass has ended since the last forward op; null where none has. */
  ended: number | null = null;
  /** How often the gradient was taken to get what the pass that began last records. */
  order = 1;

  /** How many are under way, one within the other. */
  get depth(): number {
    return this.#recorded.length;
  }

  /** Whether what the innermost one applies is recorded. */
  get isRecorded(): boolean {
    return this.#recorded.at(-1) ?? false;
  }

  start(createGraph: boolean): void {
    this.#recorded.push(createGraph);
  }

  finish(seq: number): void {
    this.#recorded.pop();
    if (this.#recorded.length === 0) this.ended = seq;
  }
}
