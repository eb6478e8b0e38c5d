// What a search found: the items that stay clear while all else is quiet.

import type { Area } from '../layout/area';
import type { Item } from '../layout/graph';

export class Found {
  readonly #counts = new Map<Area, number>();

  constructor(readonly items: ReadonlySet<Item>) {}

  has(item: Item): boolean {
    return this.items.has(item);
  }

  /** How many hits an area holds with all that is in it. */
  count(area: Area): number {
    let count = this.#counts.get(area);
    if (count === undefined) {
      count = area.areas.reduce((sum, inner) => sum + this.count(inner), 0);
      for (const item of area.items) if (this.items.has(item)) count += 1;
      this.#counts.set(area, count);
    }
    return count;
  }
}
