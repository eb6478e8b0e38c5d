// The items that act in the step of a scene, the ground that they are on and the areas around them.

import type { Area } from '../layout/area';
import type { Frame } from '../layout/frame';
import type { Item } from '../layout/graph';
import type { MirrorLayout } from '../layout/mirror';
import { areasAround } from './box/areas';
import type { StepEffects } from './parts/parts';

export class Actors {
  /** What acts, first of all what wakes. */
  readonly items: readonly Item[];
  /** The innermost ground on which something acts, where that is one thing. */
  readonly ground: Frame | null;
  /** The areas around what acts first; null until they are looked for. */
  #areas: ReadonlySet<Area> | null = null;

  constructor(
    { waking, landing, changing, seeding, touching }: StepEffects,
    readonly layout: MirrorLayout,
  ) {
    const ids = [...(waking === null ? [] : [waking]), ...landing, ...changing, ...seeding, ...touching];
    this.items = ids.map((id) => layout.items[id]!);
    this.ground = waking !== null || ids.length === 1 ? innermostGround(this.items[0]!, layout) : null;
  }

  /** Whether what acts first lies in an area. */
  isIn(area: Area): boolean {
    const [first] = this.items;
    this.#areas ??= new Set(first ? areasAround(first, this.layout) : []);
    return this.#areas.has(area);
  }
}

function innermostGround(item: Item, layout: MirrorLayout): Frame | null {
  const { frames } = layout.chunks[item.chunk]!;
  for (let place = item.place; place; place = place.outer) {
    const frame = frames.find((candidate) => candidate.place === place);
    if (frame) return frame;
  }
  return null;
}
