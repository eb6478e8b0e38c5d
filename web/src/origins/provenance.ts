// The reader's question where something comes from; the inspector answers it in place of the selection, but for an element's sum.

import type { Chain } from './chain';
import type { Origin } from './origin.svelte';

export type Provenance =
  /** What an element of a gradient is the sum of. */
  | { about: 'gradient'; origin: Origin }
  /** How an element of a tensor was computed, which the sum of its step says. */
  | { about: 'element'; tensor: number; element: readonly number[] }
  /** Where a value became what it is that is not finite. */
  | { about: 'value'; name: string; chain: Chain }
  /** Who holds the memory: all of it, or one storage. */
  | { about: 'memory'; storage: number | null };
