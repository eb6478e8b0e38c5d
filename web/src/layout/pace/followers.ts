// Followers: those who are told of what a layout places, not oftener than they can draw it.

/** How often those who follow a layout that is under way are told, as each time the stage is drawn anew. */
const TELL_MS = 150;

export class Followers {
  readonly #listeners = new Set<() => void>();
  #toldAt = 0;
  #newest: unknown;

  /** Adds one; returns what ends that. */
  add(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Tells all. */
  tell(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Tells all where something newer than the last time is placed; of what is under way only now and then. */
  hear(newest: unknown, underWay: boolean): void {
    const now = performance.now();
    if (newest === this.#newest || (underWay && now - this.#toldAt < TELL_MS)) return;
    this.#toldAt = now;
    this.#newest = newest;
    this.tell();
  }
}
