// A question of a lesson as the stage takes part in it: what is drawn over the graph, and where taps go.

import type { Snippet } from 'svelte';
import type { Target } from '../scene/target';

export class Asking {
  /** What is drawn over the graph; null without a question that has its place there. */
  over = $state.raw<Snippet | null>(null);
  /** Takes what the reader points at on the stage, in place of the selection; null where that is selected. */
  take = $state.raw<((target: Target) => void) | null>(null);
}
