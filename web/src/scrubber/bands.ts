// The timeline as it is drawn: phases as bands, what stands out as marks, memory squeezed into columns.

import type { Moment } from '../timeline/moments';

/** Moments `from` up to and including `to` of one phase; `call` numbers the backward passes from 1. */
export type Band = { from: number; to: number; phase: Moment['phase']; pass: number | null };
export type Mark = { index: number; kind: 'output' | 'warning' | 'error' | 'backward' };

const MARKS: Record<string, Mark['kind']> = {
  output_printed: 'output',
  warning_raised: 'warning',
  error_raised: 'error',
  backward_started: 'backward',
};

/** Joins neighbouring moments of one phase; 'other' counts as forward, but what happens inside a pass belongs to the pass. */
export function bands(moments: readonly Moment[]): Band[] {
  const made: Band[] = [];
  let passes = 0;
  for (const moment of moments) {
    const phase = moment.phase === 'backward' || moment.call !== null ? 'backward' : 'forward';
    const last = made.at(-1);
    const begins = moment.kind === 'backward_started' && last?.phase !== 'backward';
    if (last && last.phase === phase && !begins) {
      last.to = moment.index;
      continue;
    }
    if (phase === 'backward') passes += 1;
    made.push({ from: moment.index, to: moment.index, phase, pass: phase === 'backward' ? passes : null });
  }
  return made;
}

/** What a reader looks for on the timeline. */
export function marks(moments: readonly Moment[]): Mark[] {
  const made: Mark[] = [];
  for (const { kind, index } of moments) {
    const mark = MARKS[kind];
    if (mark) made.push({ index, kind: mark });
  }
  return made;
}

/** The horizontal place of a cursor, 0 before the first moment and `width` at the last. */
export function cursorX(cursor: number, length: number, width: number): number {
  return length === 0 ? 0 : ((cursor + 1) / length) * width;
}

/** The cursor nearest to a horizontal place. */
export function cursorAt(x: number, length: number, width: number): number {
  if (width <= 0) return -1;
  return Math.max(-1, Math.min(length - 1, Math.round((x / width) * length) - 1));
}
