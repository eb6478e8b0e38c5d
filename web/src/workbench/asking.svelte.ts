// What a question of a lesson changes on the page: an element over the graph, where taps go, the part of the code to edit.

import type { EditPart } from '../editor/edit-lines';
import type { Target } from '../scene/target';

export class Asking {
  /** The element over the graph into which a question puts its fields and marks; null while there is no stage. */
  over = $state.raw<HTMLElement | null>(null);
  /** Called with what the reader points at on the stage; null where that is selected. */
  take = $state.raw<((target: Target) => void) | null>(null);
  /** The part of the program that the reader is to change; null where all may be changed. */
  part = $state.raw<EditPart | null>(null);
  /** Whether steps after the current one are hidden everywhere, because they hold the answer. */
  hides = $state(false);

  constructor(private readonly select: (target: Target | null) => void) {}

  /** Answers the question with a target on the stage, or selects it. */
  point(target: Target | null): void {
    if (!this.take) this.select(target);
    else if (target) this.take(target);
  }
}
