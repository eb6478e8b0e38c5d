// How far the reader is in each lesson, kept in this browser.

import { keptEntries } from './kept';

const KEY = 'backscope.lessons';
/** What is read and kept at most, of whatever another version or a program wrote there. */
const MOST_LESSONS = 200;
const MOST_SOLVED = 100;
const MOST_CHARS = 200_000;
const MOST_PAGES = 10_000;
const NAME = /^\w{1,100}$/;

/**
 * `page` is the page that was open last, from 1, of `pages`; `solved` has the lines of the questions that were answered rightly and
 * of the changes that were reached.
 */
export type LessonProgress = { page: number; pages: number; finished: boolean; solved: readonly number[] };

const NONE: LessonProgress = { page: 1, pages: 0, finished: false, solved: [] };

function isCount(value: unknown, most: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most;
}

function checked(found: unknown): LessonProgress | null {
  const { page, pages, finished, solved } = (found ?? {}) as Record<string, unknown>;
  if (!isCount(page, MOST_PAGES) || !isCount(pages, MOST_PAGES)) return null;
  const lines = Array.isArray(solved) ? solved.filter((line) => isCount(line, Number.MAX_SAFE_INTEGER)) : [];
  return { page, pages, finished: finished === true, solved: [...new Set(lines)].slice(0, MOST_SOLVED) };
}

/** Reads what is kept; what is damaged in it is left out. */
function kept(): ReadonlyMap<string, LessonProgress> {
  const all = new Map<string, LessonProgress>();
  for (const [name, value] of keptEntries(() => localStorage, KEY, MOST_CHARS)) {
    const progress = NAME.test(name) ? checked(value) : null;
    if (progress && all.size < MOST_LESSONS) all.set(name, progress);
  }
  return all;
}

export class Progress {
  #all = $state.raw(kept());

  /** The progress in a lesson; null for one that was not opened. */
  of(name: string): LessonProgress | null {
    return this.#all.get(name) ?? null;
  }

  /** The names of the lessons that were opened, the last one first. */
  get latest(): string[] {
    return [...this.#all.keys()].reverse();
  }

  /** No lesson was opened in this browser. */
  get isNew(): boolean {
    return this.#all.size === 0;
  }

  /** Notes the page that is open, from 1; the last of all pages finishes the lesson. */
  reach(name: string, page: number, pages: number): void {
    const before = this.of(name) ?? NONE;
    this.#keep(name, { ...before, page, pages, finished: before.finished || page >= pages });
  }

  /** Notes that the question or change at a line of a lesson was solved. */
  solve(name: string, line: number): void {
    const before = this.of(name) ?? { ...NONE, pages: 1 };
    if (before.solved.includes(line)) return;
    this.#keep(name, { ...before, solved: [...before.solved, line].slice(-MOST_SOLVED) });
  }

  #keep(name: string, progress: LessonProgress): void {
    if (!NAME.test(name)) return;
    // Another tab may have written since.
    const all = new Map([...this.#all, ...kept()]);
    all.delete(name);
    all.set(name, progress);
    for (const oldest of all.keys()) {
      if (all.size <= MOST_LESSONS) break;
      all.delete(oldest);
    }
    this.#all = all;
    try {
      localStorage.setItem(KEY, JSON.stringify(Object.fromEntries(all)));
    } catch {
      // Without storage the progress lasts as long as the page.
    }
  }
}

export const progress = new Progress();
