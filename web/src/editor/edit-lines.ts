// The part of a program that a lesson lets the reader change, as lines.

import type { Edit } from '../protocol/lessons';

/** The part of a program that may be changed; `lines` is how many lines the program has, without empty ones at its end. */
export type EditPart = Pick<Edit, 'of' | 'first' | 'last'> & { lines: number };

/** Counts the lines of a program, without empty ones at its end. */
export function linesIn(source: string): number {
  return source.trimEnd().split('\n').length;
}

/** The first and the last line of the part in a program that was changed; null where the part is not made of lines. */
export function linesOf(part: EditPart, source: string): [first: number, last: number] | null {
  if (part.of !== 'lines' || part.first === null || part.last === null) return null;
  return [part.first, Math.max(part.first, linesIn(source) - (part.lines - part.last))];
}
