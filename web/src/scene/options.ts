// What a scene shows of a moment beside what happens in it: what the reader selected, folded, looks for and asked.

import type { Folds } from './fold/folds';
import type { Found } from './found';
import type { StepSum, Trail } from './parts/parts';
import type { Target } from './target';

export type SceneOptions = {
  selection: Target | null;
  hover: Target | null;
  /** What the reader folded or opened. */
  folds?: Folds;
  /** The node that the debugger holds the program at. */
  paused?: number | null;
  /** The nodes and tensors that a breakpoint is at. */
  stops?: { nodes: ReadonlySet<number>; tensors: ReadonlySet<number> } | null;
  /** The nodes and tensors that an answer is about. */
  lit?: { nodes: ReadonlySet<number>; tensors: ReadonlySet<number> } | null;
  /** The way of an element that is asked about. */
  trail?: Trail | null;
  /** What a search found; null while nothing is looked for. */
  found?: Found | null;
  /** What the step computes, as lines of text. */
  sum?: StepSum | null;
  /** A word for each thing that differs from the run that this one is held against, by the text of its target. */
  differing?: ReadonlyMap<string, string> | null;
};
