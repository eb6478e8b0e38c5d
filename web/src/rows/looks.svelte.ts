// The value that a reader holds on to, so as to see another beside it; and how values are looked at.

import type { Summary } from '../protocol/events';
import type { Part } from '../run/past';

/** Where the elements of a value are read that the log does not have. */
export type Source = { session: string } & Pick<Part, 'seq' | 'tensor' | 'of'>;
export type Pinned = { label: string; step: number | null; summary: Summary; source: Source | null };
export type Mode = 'numbers' | 'heatmap' | 'histogram';

class Looks {
  pinned = $state.raw<Pinned | null>(null);
  mode = $state<Mode>('numbers');
}

export const looks = new Looks();
