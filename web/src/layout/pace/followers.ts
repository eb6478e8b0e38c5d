// The listeners of a layout: they are called when something is placed, not oftener than they can draw it.

/** How often listeners are called while a layout is under way: each time the stage is drawn anew. */
const NOTIFY_MS = 150;

export class Followers {
  readonly #listeners = new Set<() => void>();
  #notifiedAt = 0;
  #newest: unknown;

  /** Adds a listener; returns a function that removes it. */
  add(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Calls all listeners. */
  notify(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Calls all listeners where `newest` differs from the last call; while a layout is under way, only now and then. */
  notifyOf(newest: unknown, underWay: boolean): void {
    const now = performance.now();
    if (newest === this.#newest || (underWay && now - this.#notifiedAt < NOTIFY_MS)) return;
    this.#notifiedAt = now;
    this.#newest = newest;
    this.notify();
  }
}
