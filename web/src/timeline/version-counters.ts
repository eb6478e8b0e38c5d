// The versions of memory: tensors that share a storage share its counter, but `x.data` and its views have one of their own.

import { Series } from './series';

export class VersionCounters {
  /** The versions of each counter, by its number: that of a storage, or of a tensor, negative, for `x.data`. */
  readonly #versions = new Map<number, Series<number>>();
  /** The counters of `x.data` and its views, by tensor. */
  readonly #apart = new Map<number, number>();

  /** Give the tensor of an `x.data` a counter of its own. */
  separate(tensor: number): void {
    this.#apart.set(tensor, -tensor);
  }

  /** Let views of `base` count with it, where its counter is not that of its storage. */
  share(base: number, views: readonly { tensor: number }[]): void {
    const counter = this.#apart.get(base);
    if (counter === undefined) return;
    for (const { tensor } of views) this.#apart.set(tensor, counter);
  }

  /** Note the version of a tensor's memory at an event. */
  note(tensor: number, storage: number, seq: number, version: number): void {
    const counter = this.#apart.get(tensor) ?? storage;
    let series = this.#versions.get(counter);
    if (!series) {
      series = new Series();
      this.#versions.set(counter, series);
    }
    if (series.last !== version) series.push(seq, version);
  }

  /** Return the versions of a tensor's memory as that tensor counts them, undefined for one that is not known. */
  of(tensor: number | null, storage: number): Series<number> | undefined {
    return this.#versions.get((tensor === null ? undefined : this.#apart.get(tensor)) ?? storage);
  }
}
