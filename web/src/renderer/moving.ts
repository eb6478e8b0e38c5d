// A step that is shown as one gesture: what stands still is drawn once, on canvases of its own, and each frame draws what
// moves between them and over them.

import { noDots } from '../scene/dots';
import type { BlockPart, CardPart, Parts, PillPart, RoadPart } from '../scene/parts';
import type { Scene } from '../scene/scene';
import type { Plate } from './frame';
import { isSameView, type View } from './patch';

/** Which parts are chosen, kind by kind. */
type Choice = {
  card: (part: CardPart) => boolean;
  pill: (part: PillPart) => boolean;
  road: (part: RoadPart) => boolean;
  block: (part: BlockPart) => boolean;
};

/** The chosen parts, and the rest. */
export function divided(parts: Parts, choice: Choice): { chosen: Parts; rest: Parts } {
  const side = (wanted: boolean): Parts => ({
    regions: [],
    frames: [],
    dots: noDots(),
    cards: parts.cards.filter((part) => choice.card(part) === wanted),
    pills: parts.pills.filter((part) => choice.pill(part) === wanted),
    roads: parts.roads.filter((part) => choice.road(part) === wanted),
    blocks: parts.blocks.filter((part) => choice.block(part) === wanted),
  });
  return { chosen: side(true), rest: side(false) };
}

/** Canvases for what stands still; they may be large, so they are kept from one gesture to the next. */
export class Layers {
  /** Still roads with all that they stand on, and what else stands still. */
  readonly below = document.createElement('canvas');
  readonly above = document.createElement('canvas');

  /** Empties them, as large as a view. */
  clear({ width, height }: View): void {
    for (const layer of [this.below, this.above]) Object.assign(layer, { width, height });
  }
}

/** A gesture under way in a view that rests. */
export class Moving {
  /** Parts that look otherwise in each frame, and all others. */
  readonly moving: Parts;
  readonly still: Parts;
  /** Whether what stands still is on its layers: not before a second frame is seen from where the first was. */
  isLayered = false;

  constructor(
    readonly scene: Scene,
    readonly view: View,
    readonly parts: Parts,
    readonly plates: readonly Plate[],
  ) {
    const { waking, landing, appearing, seeding, freeing } = scene.gesture;
    const isFreeing = (node: number | null, slot: string) => freeing.has(`${node}/${slot}`);
    const { chosen, rest } = divided(parts, {
      card: ({ item }) => landing.has(item.id) || appearing.has(item.id),
      pill: ({ item, chips }) =>
        waking === item.id ||
        appearing.has(item.id) ||
        seeding.has(item.id) ||
        chips.some(({ target }) => target.type === 'saved' && isFreeing(item.node, target.slot)),
      road: ({ sending, bringing, gradient, link }) =>
        sending || bringing || (gradient !== null && landing.has(link.from.id)),
      block: () => false,
    });
    this.moving = chosen;
    this.still = rest;
  }

  /** Whether a frame shows the same, but for what moves. */
  isIn(scene: Scene, view: View): boolean {
    return scene === this.scene && isSameView(view, this.view);
  }
}
