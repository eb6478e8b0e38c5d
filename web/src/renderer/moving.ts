// A step that is shown as one transition: what does not move is drawn once, on canvases of its own, and each frame draws what
// moves between them and over them.

import { divided } from '../scene/division';
import type { Parts } from '../scene/parts/parts';
import type { Scene } from '../scene/scene';
import type { Plate } from './parts/frame';
import { isSameView, type View } from './patch';

/** Canvases for what does not move; they may be large, so they are kept from one transition to the next. */
export class Layers {
  /** Still edges with all that they are on, and what else does not move. */
  readonly below = document.createElement('canvas');
  readonly above = document.createElement('canvas');

  /** Empties them, as large as a view. */
  clear({ width, height }: View): void {
    for (const layer of [this.below, this.above]) Object.assign(layer, { width, height });
  }
}

/** A transition under way in a view that rests. */
export class Moving {
  /** Parts that look otherwise in each frame; null before a second one is seen from where the first was. */
  moving: Parts | null = null;

  constructor(
    readonly scene: Scene,
    readonly view: View,
    readonly parts: Parts,
    readonly plates: readonly Plate[],
  ) {}

  /** Whether a frame shows the same, but for what moves. */
  isIn(scene: Scene, view: View): boolean {
    return scene === this.scene && isSameView(view, this.view);
  }

  /** What moves, and what does not move. */
  divide(): { moving: Parts; still: Parts } {
    const { waking, landing, appearing, seeding, freeing } = this.scene.effects;
    const isFreeing = (node: number | null, slot: string) => freeing.has(`${node}/${slot}`);
    const { chosen, rest } = divided(this.parts, {
      card: ({ item }) => landing.has(item.id) || appearing.has(item.id),
      pill: ({ item, chips }) =>
        waking === item.id ||
        appearing.has(item.id) ||
        seeding.has(item.id) ||
        chips.some(({ target }) => target.type === 'saved' && isFreeing(item.node, target.slot)),
      edge: ({ sending, bringing, gradient, link }) =>
        sending || bringing || (gradient !== null && landing.has(link.from.id)),
      block: () => false,
    });
    return { moving: chosen, still: rest };
  }
}
