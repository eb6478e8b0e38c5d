// Decides whether numbers are still finite.

import type { Summary } from './events';

/** Whether a value holds something that is not a finite number. */
export function isBad({ nan_count, inf_count }: Pick<Summary, 'nan_count' | 'inf_count'>): boolean {
  return nan_count > 0 || inf_count > 0;
}
