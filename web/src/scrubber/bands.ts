// The timeline as it is drawn: phases as bands, events of note as marks, memory squeezed into columns.

import type { LoopRun } from '../timeline/module-calls';
import type { Moment } from '../timeline/moments';

/** Moments `from` up to and including `to` of one phase; `call` numbers the backward passes from 1. */
export type Band = { from: number; to: number; phase: Moment['phase']; pass: number | null };
export type Mark = {
  index: number;
  kind:
    | 'written'
    | 'output'
    | 'warning'
    | 'error'
    | 'caught'
    | 'backward'
    | 'optimizer'
    | 'nan'
    | 'note'
    | 'stop'
    | 'breakpoint';
};
/** Moments `from` up to and including `to` that one line of the program made. */
export type LineRun = { from: number; to: number; line: number };
/** Where a round of the program's loop begins. */
export type RoundMark = { index: number; round: number };

const MARKS: ReadonlyMap<Moment['kind'], Mark['kind']> = new Map<Moment['kind'], Mark['kind']>([
  ['output_printed', 'output'],
  ['warning_raised', 'warning'],
  ['error_raised', 'error'],
  ['backward_started', 'backward'],
  ['optimizer_stepped', 'optimizer'],
]);

/** Reads moments that are added to, each once: a long run is drawn again and again while it grows. */
abstract class Reader {
  #read = 0;
  #last: Moment | undefined;

  /** Takes what was added since the last call; all of it where these are other moments. */
  protected read(moments: readonly Moment[]): void {
    if (moments[this.#read - 1] !== this.#last) {
      this.#read = 0;
      this.begin();
    }
    for (; this.#read < moments.length; this.#read += 1) this.take(moments[this.#read]!);
    this.#last = moments[this.#read - 1];
  }

  protected abstract begin(): void;
  protected abstract take(moment: Moment): void;
}

/**
 * Joins neighbouring moments of one phase; 'other' counts as forward, but what happens inside a pass belongs to the pass. A program
 * that computes nothing, as one that cannot start, has no bands.
 */
export class Bands extends Reader {
  #all: Band[] = [];
  #passes = 0;
  /** The pass that runs, where others may run inside it. */
  #running: number | null = null;
  #computes = false;

  of(moments: readonly Moment[]): Band[] {
    this.read(moments);
    return this.#computes ? [...this.#all] : [];
  }

  protected begin(): void {
    this.#all = [];
    this.#passes = 0;
    this.#running = null;
    this.#computes = false;
  }

  protected take(moment: Moment): void {
    this.#computes ||= moment.phase !== 'other' || moment.call !== null;
    const phase = moment.phase === 'backward' || moment.call !== null ? 'backward' : 'forward';
    const last = this.#all.at(-1);
    const begins = moment.kind === 'backward_started' && this.#running === null;
    if (begins) this.#running = moment.call;
    else if (moment.kind === 'error_raised' || (moment.kind === 'backward_finished' && moment.call === this.#running))
      this.#running = null;
    if (last && last.phase === phase && !begins) {
      last.to = moment.index;
      return;
    }
    if (phase === 'backward') this.#passes += 1;
    const pass = phase === 'backward' ? this.#passes : null;
    this.#all.push({ from: moment.index, to: moment.index, phase, pass });
  }
}

/** What a reader looks for on the timeline. */
export class Marks extends Reader {
  #all: { moment: Moment; mark: Mark }[] = [];

  /** `isCaught` finds the moments of errors that the program went on from, which may come out later. */
  of(moments: readonly Moment[], isCaught: (moment: Moment) => boolean = () => false): Mark[] {
    this.read(moments);
    return this.#all.map(({ moment, mark }) =>
      mark.kind === 'error' && isCaught(moment) ? { index: mark.index, kind: 'caught' } : mark,
    );
  }

  protected begin(): void {
    this.#all = [];
  }

  protected take(moment: Moment): void {
    const kind = MARKS.get(moment.kind);
    if (kind) this.#all.push({ moment, mark: { index: moment.index, kind } });
  }
}

/** The moments of lines that the program is held at, each once and in order; several breakpoints may be on a line. */
export function breakpointMarks(lines: readonly number[], momentsOfLine: (line: number) => readonly number[]): Mark[] {
  const indexes = new Set(lines.flatMap(momentsOfLine));
  return [...indexes].sort((a, b) => a - b).map((index) => ({ index, kind: 'breakpoint' }));
}

/** The rounds that a reader counts: of the loops that an optimizer steps in, else of those with backward passes, else of the outermost. */
export function rounds(loops: Iterable<LoopRun>, momentOfSeq: (seq: number) => number): RoundMark[] {
  const all = [...loops];
  const candidates = [
    all.filter(({ steps }) => steps),
    all.filter(({ passes }) => passes),
    all.filter(({ outer }) => !outer),
  ];
  const chosen = candidates.find((some) => some.length > 0) ?? [];
  return chosen
    .flatMap(({ rounds: series }) =>
      series.seqs.map((seq, i) => ({ index: momentOfSeq(seq), round: series.entries[i]! })),
    )
    .sort((a, b) => a.index - b.index);
}

/** The lines that ran in a stretch of moments, neighbours of one line together. */
export function lineRuns(moments: readonly Moment[], first: number, last: number): LineRun[] {
  const made: LineRun[] = [];
  for (let index = Math.max(0, first); index <= Math.min(last, moments.length - 1); index += 1) {
    const { line } = moments[index]!;
    const before = made.at(-1);
    if (line === null) continue;
    if (before && before.line === line && before.to === index - 1) before.to = index;
    else made.push({ from: index, to: index, line });
  }
  return made;
}
