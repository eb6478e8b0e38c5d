// Barycenters: where the neighbours of vertices want them, and how strongly.  Rows are settled thousands of times in one layout,
// so that all share one stretch of memory.

/** Barycenters one after the other; those of one vertex, and of vertices that move together, lie side by side. */
export class Barycenters {
  count = 0;
  #at = new Float64Array(64);
  #weight = new Float64Array(64);
  /** Room in which two stretches become one. */
  #mergedAt = new Float64Array(64);
  #mergedWeight = new Float64Array(64);

  add(at: number, weight: number): void {
    if (this.count === this.#at.length) this.#grow();
    this.#at[this.count] = at;
    this.#weight[this.count] = weight;
    this.count += 1;
  }

  /** Moves all from `first` on, and puts them in order. */
  order(first: number, by: number): void {
    for (let i = first; i < this.count; i += 1) this.#at[i]! += by;
    if (this.count - first > 32) this.#divide(first, this.count);
    else this.#insert(first, this.count);
  }

  /** Makes one of two stretches that are in order, the first up to `middle`. */
  merge(first: number, middle: number, end: number): void {
    const [at, weight] = [this.#at, this.#weight];
    if (at[middle - 1]! <= at[middle]!) return;
    const [mergedAt, mergedWeight] = [this.#mergedAt, this.#mergedWeight];
    let a = first;
    let b = middle;
    for (let i = first; i < end; i += 1) {
      const from = b === end || (a < middle && at[a]! <= at[b]!) ? a++ : b++;
      mergedAt[i] = at[from]!;
      mergedWeight[i] = weight[from]!;
    }
    for (let i = first; i < end; i += 1) {
      at[i] = mergedAt[i]!;
      weight[i] = mergedWeight[i]!;
    }
  }

  /** The middle of the interval of places with the least weighted distance to a stretch that is in order. */
  median(first: number, end: number): number {
    const [at, weight] = [this.#at, this.#weight];
    if (end - first === 1) return at[first]!;
    let total = 0;
    for (let i = first; i < end; i += 1) total += weight[i]!;
    let sum = 0;
    for (let i = first; i < end; i += 1) {
      sum += weight[i]!;
      if (Math.abs(sum - total / 2) < 1e-9) return (at[i]! + (i + 1 < end ? at[i + 1]! : at[i]!)) / 2;
      if (sum > total / 2) return at[i]!;
    }
    return at[end - 1]!;
  }

  #divide(first: number, end: number): void {
    if (end - first <= 32) {
      this.#insert(first, end);
      return;
    }
    const middle = (first + end) >> 1;
    this.#divide(first, middle);
    this.#divide(middle, end);
    this.merge(first, middle, end);
  }

  #insert(first: number, end: number): void {
    const [at, weight] = [this.#at, this.#weight];
    for (let i = first + 1; i < end; i += 1) {
      const x = at[i]!;
      const w = weight[i]!;
      let k = i - 1;
      for (; k >= first && at[k]! > x; k -= 1) {
        at[k + 1] = at[k]!;
        weight[k + 1] = weight[k]!;
      }
      at[k + 1] = x;
      weight[k + 1] = w;
    }
  }

  #grow(): void {
    const twice = (old: Float64Array) => {
      const made = new Float64Array(2 * old.length);
      made.set(old);
      return made;
    };
    this.#at = twice(this.#at);
    this.#weight = twice(this.#weight);
    this.#mergedAt = twice(this.#mergedAt);
    this.#mergedWeight = twice(this.#mergedWeight);
  }
}
