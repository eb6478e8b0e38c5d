// Elements: which of a list's elements shows which entry.  What is new takes over what nothing needs any more, as making
// hundreds of elements takes more than a frame.

/** Numbers for elements, by the entries that they show. */
export class Elements {
  #numbers = new Map<string, number>();
  #next = 0;

  /** The number of each entry's element, all different; the element of the `held` one becomes no other's. */
  show(ids: readonly string[], held: string | null = null): number[] {
    const wanted = new Set(ids);
    const free: number[] = [];
    for (const [id, number] of this.#numbers) if (!wanted.has(id) && id !== held) free.push(number);
    let taken = 0;
    const shown = new Map<string, number>();
    for (const id of ids) shown.set(id, this.#numbers.get(id) ?? free[taken++] ?? this.#next++);
    this.#numbers = shown;
    return [...shown.values()];
  }
}
