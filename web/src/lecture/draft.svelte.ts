// The lecture that the reader is collecting, kept in this browser.

import type { NamedMoment } from '../protocol/lessons';
import type { PanelName } from '../widgets/panels.svelte';
import { type Collected, emptyLecture, type Lecture, MOST_CHARS, readLecture, withUsedPrograms } from './lecture';

const KEY = 'backscope.lecture';

/** A moment of the draft; `id` is its own for as long as the page is open. */
export type Kept = Collected & { id: number };

let last = 0;
const withId = (moment: Collected): Kept => ({ ...moment, id: ++last });

function kept(): Lecture {
  try {
    const text = localStorage.getItem(KEY) ?? '';
    return text === '' || text.length > MOST_CHARS ? emptyLecture() : readLecture(JSON.parse(text));
  } catch {
    // Damaged or denied: the reader begins anew.
    return emptyLecture();
  }
}

export class Draft {
  readonly #found = kept();
  title = $state(this.#found.title);
  learned = $state(this.#found.learned);
  #programs = $state.raw(this.#found.programs);
  moments = $state.raw<readonly Kept[]>(this.#found.moments.map(withId));
  /** What was removed last, and where it was. */
  removed = $state.raw<{ moment: Kept; at: number } | null>(null);
  /** The moment that was added last, until the list has brought it into view. */
  added = $state.raw<number | null>(null);
  /** The browser keeps it. */
  isKept = $state(true);

  get lecture(): Lecture {
    const moments = this.moments.map(({ id: _id, ...moment }) => moment);
    return withUsedPrograms({ title: this.title, learned: this.learned, programs: [...this.#programs], moments });
  }

  /** Adds a moment at the end; gives its number, from 1. */
  add({ at, source, seed, raises }: NamedMoment, caption: string, hide: readonly PanelName[]): number {
    let program = this.#programs.findIndex((one) => one.source === source && one.seed === seed);
    if (program < 0) {
      program = this.#programs.length;
      this.#programs = [...this.#programs, { source, seed, raises }];
    }
    const moment = withId({ program, at: at.text, place: at.place!, caption, text: '', question: null, hide });
    this.moments = [...this.moments, moment];
    this.removed = null;
    this.added = moment.id;
    this.keep();
    return this.moments.length;
  }

  change(id: number, change: Partial<Pick<Collected, 'text' | 'question' | 'hide'>>): void {
    this.moments = this.moments.map((one) => (one.id === id ? { ...one, ...change } : one));
    this.keep();
  }

  /** Gives a moment another place, within those that there are. */
  move(id: number, to: number): void {
    const moment = this.moments.find((one) => one.id === id);
    if (!moment) return;
    const rest = this.moments.filter((one) => one.id !== id);
    rest.splice(Math.max(0, Math.min(rest.length, to)), 0, moment);
    this.moments = rest;
    this.keep();
  }

  remove(id: number): void {
    const at = this.moments.findIndex((one) => one.id === id);
    if (at < 0) return;
    this.removed = { moment: this.moments[at]!, at };
    this.moments = this.moments.filter((one) => one.id !== id);
    this.keep();
  }

  /** Brings back what was removed last. */
  restore(): void {
    if (!this.removed) return;
    const { moment, at } = this.removed;
    this.removed = null;
    this.moments = [...this.moments.slice(0, at), moment, ...this.moments.slice(at)];
    this.keep();
  }

  /** The program of a moment. */
  programOf({ program }: Collected): { source: string; seed: number } {
    return this.#programs[program]!;
  }

  /** Writes the draft into the storage of the browser. */
  keep(): void {
    try {
      const { lecture } = this;
      const isEmpty = lecture.moments.length === 0 && lecture.title === '' && lecture.learned === '';
      const text = JSON.stringify(lecture);
      this.isKept = text.length <= MOST_CHARS;
      if (isEmpty) localStorage.removeItem(KEY);
      else if (this.isKept) localStorage.setItem(KEY, text);
    } catch {
      this.isKept = false;
    }
  }
}

export const draft = new Draft();
