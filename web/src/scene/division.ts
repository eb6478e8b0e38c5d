// Divides the parts of a scene into those that are chosen and all others.

import { noDots } from './dots';
import type { BlockPart, CardPart, EdgePart, Parts, PillPart } from './parts/parts';

/** Which parts are chosen, kind by kind. */
type Choice = {
  card: (part: CardPart) => boolean;
  pill: (part: PillPart) => boolean;
  edge: (part: EdgePart) => boolean;
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
    edges: parts.edges.filter((part) => choice.edge(part) === wanted),
    blocks: parts.blocks.filter((part) => choice.block(part) === wanted),
  });
  return { chosen: side(true), rest: side(false) };
}
