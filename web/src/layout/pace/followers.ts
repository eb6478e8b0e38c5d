// The listeners of a layout: they are called when something is placed, not oftener than they can draw it.

/** How often listeners are called while a layout is under way: each time the stage is drawn anew, with all that is placed. */
const NOTIFY_MS = 150;
/** Items for each of which that gets a millisecond rarer, up to two seconds. */
const ITEMS_A_MS = 100;
const MOST_NOTIFY_MS = 2000;

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

  /** Calls all listeners where `newest` differs from the last call; while a layout is under way, only now and then, the rarer the more `items` are placed. */
  notifyOf(newest: unknown, underWay: boolean, items: number): void {
    const now = performance.now();
    const least = Math.min(NOTIFY_MS + items / ITEMS_A_MS, MOST_NOTIFY_MS);
    if (newest === this.#newest || (underWay && now - this.#notifiedAt < least)) return;
    this.#notifiedAt = now;
    this.#newest = newest;
    this.notify();
  }
}
