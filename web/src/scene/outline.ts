// The visible scene as a list in words, for screen readers, the keyboard and tests.

import type { Scene } from './scene';
import type { Target } from './target';

export type OutlineEntry = { id: string; target: Target; label: string; description: string; selected: boolean };

/** What a scene shows, in the order of the program. */
export function outline(_scene: Scene): OutlineEntry[] {
  return [];
}
