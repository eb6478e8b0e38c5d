// Prints that are added to a run afterwards: a line and an expression, with its value each time that the line was reached.

import { reasonOf } from '../../format/reason';
import * as say from '../../messages/past-questions';
import { fileName, fileOf, inFile } from '../../protocol/file-lines';
import { sessionOf } from '../../run/lent';
import { findStops } from '../../run/past';
import type { Run } from '../../run/run.svelte';
import type { SentBreakpoint as Breakpoint } from '../breakpoint';
import { fromLog } from './from-log';
import type { Recorded } from './running-lines';

/** The value at one pass of the line, and the moment that it leads to. */
export type Pass = { moment: number; text: string; refused: boolean };
/** `ofLog`: what the values were read from, as the program cannot be run again. */
export type LogPoint = {
  id: number;
  line: number;
  expression: string;
  passes: readonly Pass[];
  state: 'looks' | 'done' | 'stopped' | 'failed';
  reason: string;
  leftOut: boolean;
  ofLog: boolean;
};

export const MOST_LOG_POINTS = 20;
/** In characters, of the text of one. */
const LONGEST = 1200;

/** The breakpoint that is at a line of the page's numbers. */
function atLine(line: number): Breakpoint {
  const file = fileName(fileOf(line));
  return { on: 'line', id: 0, line: inFile(line), ...(file ? { file } : {}) };
}

/** The new number of a line in a text that was edited; null where the line is gone, or is there several times. */
function moved(line: number, before: readonly string[], now: readonly string[]): number | null {
  const text = before[line - 1];
  if (now[line - 1] === text) return line;
  const first = now.indexOf(text ?? '');
  return first >= 0 && first === now.lastIndexOf(text!) ? first + 1 : null;
}

/** A print as a link has it: `LINE:EXPRESSION`, and `FILE:LINE:EXPRESSION` in another file than the main one. */
const writePrint = ({ line, expression }: LogPoint): string =>
  [...(fileOf(line) ? [fileName(fileOf(line))] : []), inFile(line), expression].join(':');

/** Reads what `writePrint` wrote; null for a line of a file that the run does not have, and for anything else. */
function readPrint(text: string, run: Run): [line: number | null, expression: string] {
  const [, file, line, expression] = /^(?:([^:]+):)?([1-9]\d{0,5}):(.*\S.*)$/s.exec(text.slice(0, LONGEST)) ?? [];
  if (!expression) return [null, ''];
  return [run.log.files.lineIn(file, Number(line)), expression.trim()];
}

/** The prints that the reader has added, for the run that is shown. */
export class LogPoints {
  all = $state.raw<readonly LogPoint[]>([]);
  /** As a link has them. */
  readonly texts = $derived(this.all.map(writePrint));
  #next = 1;
  #run: Run | null = null;
  readonly #looking = new Map<number, AbortController>();

  /** Adds a print and looks for its values; the same line and expression are added once. */
  add(run: Run, line: number, expression: string): void {
    if (this.all.length >= MOST_LOG_POINTS) return;
    if (this.all.some((one) => one.line === line && one.expression === expression)) return;
    const id = this.#next++;
    this.all = [
      ...this.all,
      { id, line, expression, passes: [], state: 'looks', reason: '', leftOut: false, ofLog: false },
    ];
    this.#run = run;
    void this.#look(run, id);
  }

  remove(id: number): void {
    this.cancel(id);
    this.all = this.all.filter((one) => one.id !== id);
  }

  /** Looks no longer for the values of a print; those that have come stay. */
  cancel(id: number): void {
    this.#looking.get(id)?.abort();
    this.#looking.delete(id);
    this.#change(id, (one) => (one.state === 'looks' ? { state: 'stopped' } : {}));
  }

  /** Looks for the values of a print once more. */
  again(run: Run, id: number): void {
    this.cancel(id);
    void this.#look(run, id);
  }

  /** Takes those that a link has brought, and looks for all values in another run, once that is over. */
  follow(run: Run, texts: readonly string[]): void {
    if (texts.join('\n') !== this.texts.join('\n')) {
      for (const { id } of this.all) this.remove(id);
      for (const [line, expression] of texts.map((text) => readPrint(text, run))) {
        if (line !== null) this.add(run, line, expression);
      }
    }
    const before = this.#run?.source.split('\n') ?? [];
    if (run === this.#run || this.all.length === 0) return;
    this.#run = run;
    const now = run.source.split('\n');
    this.all = this.all.flatMap((one) => {
      const line = fileOf(one.line) ? one.line : moved(one.line, before, now);
      return line === null ? [] : [{ ...one, line }];
    });
    for (const { id } of this.all) this.again(run, id);
  }

  async #look(run: Run, id: number): Promise<void> {
    const point = this.all.find((one) => one.id === id);
    if (!point) return;
    const { line, expression } = point;
    const stop = new AbortController();
    this.#looking.set(id, stop);
    this.#change(id, () => ({ passes: [], state: 'looks', reason: '', leftOut: false, ofLog: false }));
    const session = sessionOf(run);
    const seq = run.log.length - 1;
    const passes: Pass[] = [];
    try {
      if (session === null) throw new Error(say.fromTheRecording);
      const { leftOut } = await findStops(
        session,
        { seq, breakpoints: [atLine(line)], expression },
        (one) => {
          passes.push({ moment: run.timeline.momentOfSeq(one.seq), text: one.text, refused: one.refused });
          if (!stop.signal.aborted) this.#change(id, () => ({ passes: passes.slice() }));
        },
        stop.signal,
      );
      this.#change(id, () => ({ passes: passes.slice(), state: 'done', leftOut }));
    } catch (error) {
      if (stop.signal.aborted) return;
      const reason = reasonOf(error);
      const logged = fromLog(run as Recorded, line, expression);
      if (passes.length > 0 || logged === null) this.#change(id, () => ({ state: 'failed', reason }));
      else this.#change(id, () => ({ passes: logged, state: 'done', reason, ofLog: true }));
    } finally {
      if (this.#looking.get(id) === stop) this.#looking.delete(id);
    }
  }

  #change(id: number, change: (one: LogPoint) => Partial<LogPoint>): void {
    this.all = this.all.map((one) => (one.id === id ? { ...one, ...change(one) } : one));
  }
}

/** Those of the page. */
export const logPoints = new LogPoints();
