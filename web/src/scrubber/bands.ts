// The timeline as it is drawn: phases as bands, what stands out as marks, memory squeezed into columns.

import type { Moment } from '../timeline/moments';
import type { LoopRun } from '../timeline/whereabouts';

/** Moments `from` up to and including `to` of one phase; `call` numbers the backward passes from 1. */
export type Band = { from: number; to: number; phase: Moment['phase']; pass: number | null };
export type Mark = { index: number; kind: 'output' | 'warning' | 'error' | 'backward' | 'optimizer' };
/** Where a round of the program's loop begins. */
export type RoundMark = { index: number; round: number };

const MARKS: Record<string, Mark['kind']> = {
  output_printed: 'output',
  warning_raised: 'warning',
  error_raised: 'error',
  backward_started: 'backward',
  optimizer_stepped: 'optimizer',
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

/** The rounds that a reader counts: of the loops that an optimizer steps in, else of those with backward passes, else of the outermost. */
export function rounds(loops: Iterable<LoopRun>, momentOfSeq: (seq: number) => number): RoundMark[] {
  const all = [...loops];
  const told = [
    all.filter(({ steps }) => steps),
    all.filter(({ passes }) => passes),
    all.filter(({ outer }) => !outer),
  ];
  const chosen = told.find((some) => some.length > 0) ?? [];
  return chosen
    .flatMap(({ rounds: series }) =>
      series.seqs.map((seq, i) => ({ index: momentOfSeq(seq), round: series.entries[i]! })),
    )
    .sort((a, b) => a.index - b.index);
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
