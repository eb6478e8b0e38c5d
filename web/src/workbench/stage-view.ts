// The view of the stage as the rest of the page uses it.

import type { Item } from '../layout/graph';
import type { Rect } from '../layout/rect';
import type { Scene } from '../scene/scene';
import type { Target } from '../scene/target';

/** What keys and buttons do to the view of the stage. */
export type StageView = {
  zoom(factor: number): void;
  fit(): void;
  /** What the stage shows, and what of it is in view; reactive. */
  picture(): { scene: Scene; seen: { rect: Rect; scale: number } } | null;
  /** Folds a module or a loop, or opens it. */
  toggle(target: Target): void;
  /** Brings an item into view at a scale that can be read, clear of what lies over the stage. */
  visit(item: Item): void;
  /** Puts the keyboard on the stage, so that keys mean the page. */
  takeKeyboard(): void;
  /** Shows a part of the stage. */
  look(rect: Rect): void;
};
