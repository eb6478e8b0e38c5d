// Which of the boxes of one line a box is: a long statement, as a comprehension, is in several beside each other.

import type { Area } from '../../layout/area';
import { factsOf } from './facts';

export type Share = { nr: number; of: number };

/** The number of an area among those beside it that hold ops of its line and of no other; null for the only one. */
export function shareOf(area: Area, beside: readonly Area[]): Share | null {
  const line = lineOf(area);
  if (line === null) return null;
  const alike = beside.filter((other) => lineOf(other) === line);
  return alike.length > 1 ? { nr: alike.indexOf(area) + 1, of: alike.length } : null;
}

/** The line that all ops of a stretch or a chunk are on; null where there are several, or it is a place of the program. */
function lineOf(area: Area): number | null {
  const lines = area.frame ? null : factsOf(area).lines;
  return lines && lines.first === lines.last ? lines.first : null;
}
