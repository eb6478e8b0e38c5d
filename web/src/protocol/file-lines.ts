// Lines of a program of several files as one number each, and how events have them.
//
// An event has a `line`, and a `file` where the line is not in the main one. The page combines both into one number, by
// which lines are compared and kept; `lineText` gives the line with the file's name. A file has the same number in all
// runs that have one of its name.

import type { Diagnosis, Event } from './events';

const MOST_LINES = 2 ** 20;
const names = [''];

/** The number on the page of the file that a line is in, 0 for the main one. */
export const fileOf = (line: number): number => Math.floor(line / MOST_LINES);

/** A line's number in its own file. */
export const inFile = (line: number): number => line % MOST_LINES;

/** The number on the page of a line of a file. */
export const lineIn = (file: number, line: number): number => file * MOST_LINES + line;

/** The name of a file by its number on the page. */
export const fileName = (file: number): string => names[file] ?? '';

/** A line as texts have it: `7`, and in another file than the main one `7 of model.py`. */
export const lineText = <T>(line: T): T | string =>
  typeof line === 'number' && line >= MOST_LINES ? `${inFile(line)} of ${fileName(fileOf(line))}` : line;

type Placed = { line?: number | null; file?: number | null };
export type File = { number: number; name: string; source: string | null };

/** The files of a run besides its main one, as its events tell them. */
export class Files {
  readonly all: File[] = [];
  readonly #numbers = new Map<number, number>();

  /** Puts one number for line and file into an event that has just come. */
  read(event: Event): void {
    if (event.kind === 'source_added') {
      const known = names.indexOf(event.filename);
      const number = known > 0 ? known : names.push(event.filename) - 1;
      this.#numbers.set(event.file ?? 0, number);
      this.all.push({ number, name: event.filename, source: event.source });
    } else if (this.#numbers.size > 0) {
      this.#place(event);
      if (event.kind === 'error_raised') {
        for (const frame of event.traceback) this.#place(frame);
        if (event.diagnosis) this.answer(event.diagnosis);
      } else if (event.kind === 'paused') for (const frame of event.stack) this.#place(frame);
    }
  }

  /** The number on the page of a line, in the file with this name or in the main one; null for a file that is not known. */
  lineIn(name: string | null | undefined, line: number): number | null {
    if (!name) return line;
    const file = this.all.find((one) => one.name === name);
    return file ? lineIn(file.number, line) : null;
  }

  /** Does the same for an answer. */
  answer(why: Pick<Diagnosis, 'lines' | 'files' | 'evidence'>): void {
    why.lines = why.lines.map((line, at) => this.#line(line, why.files?.[at]));
    for (const one of why.evidence ?? []) this.#place(one);
  }

  /** The text of a line, where `main` has the lines of the main file. */
  textOf(line: number, main: readonly string[]): string {
    const file = fileOf(line);
    const lines = file === 0 ? main : this.all.find(({ number }) => number === file)?.source?.split('\n');
    return (lines?.[inFile(line) - 1] ?? '').trim();
  }

  #place(one: Placed): void {
    if (one.file && one.line && one.line < MOST_LINES) one.line = this.#line(one.line, one.file);
  }

  #line(line: number, file: number | undefined | null): number {
    return file && line < MOST_LINES ? (this.#numbers.get(file) ?? 0) * MOST_LINES + line : line;
  }
}
