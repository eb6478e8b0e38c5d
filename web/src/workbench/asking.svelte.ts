// A question of a lesson as the page takes part in it: its place over the graph, where taps go, what may be changed.

import type { EditPart } from '../editor/edit-lines';
import type { Target } from '../scene/target';

export class Asking {
  /** The element over the graph in which a question shows what has its place there; null while there is no stage. */
  over = $state.raw<HTMLElement | null>(null);
  /** Takes what the reader points at on the stage, in place of the selection; null where that is selected. */
  take = $state.raw<((target: Target) => void) | null>(null);
  /** The part of the program that the reader is to change; null where that is no question. */
  part = $state.raw<EditPart | null>(null);

  /** What comes after the step that is shown is not shown anywhere: it would be the answer. */
  hides = $state(false);

  constructor(private readonly select: (target: Target | null) => void) {}

  /** Takes what the reader points at on the stage. */
  point(target: Target | null): void {
    if (!this.take) this.select(target);
    else if (target) this.take(target);
  }
}
