// The lecture that the reader is collecting, kept in this browser.

import type { NamedMoment } from '../protocol/lessons';
import type { PanelName } from '../widgets/panels.svelte';
import { type Collected, emptyLecture, type Lecture, type Program, readLecture, withUsedPrograms } from './lecture';
import { MOST_CHARS } from './packed';

const KEY = 'backscope.lecture';

/** A moment of the draft; `id` is its own for as long as the page is open. */
export type Kept = Collected & { id: number };

let last = 0;
const withId = (moment: Collected): Kept => ({ ...moment, id: ++last });

/** What the browser keeps; null where that is nothing, was cleared by its reader, or is denied. */
function storedText(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function readText(text: string): Lecture {
  try {
    return text === '' || text.length > MOST_CHARS ? emptyLecture() : readLecture(JSON.parse(text));
  } catch {
    // Damaged: the reader begins anew.
    return emptyLecture();
  }
}

export class Draft {
  #title = $state('');
  #learned = $state('');
  #programs = $state.raw<readonly Program[]>([]);
  moments = $state.raw<readonly Kept[]>([]);
  /** What was removed last, with its program, and where it was. */
  removed = $state.raw<{ moment: Kept; program: Program; at: number } | null>(null);
  /** The moment that was added last, until the list has brought it into view. */
  added = $state.raw<number | null>(null);
  /** Where the sheet that gives it away is open: the name of its slides, or an empty one while moments are collected. */
  sharedAt = $state<string | null>(null);
  /** What a server keeps of it for a link, and the packed lesson that this is. */
  stored = $state.raw<{ name: string; kept: number; packed: string } | null>(null);
  /** The browser keeps it. */
  isKept = $state(true);
  /** What the browser kept when it was read or written last. */
  #text: string | null = null;

  constructor() {
    this.follow();
    addEventListener('storage', ({ key }) => {
      if (key === KEY || key === null) this.follow();
    });
  }

  /** Takes over what another tab has written since, so that neither overwrites what the other one added. */
  follow(): void {
    const text = storedText();
    if (text === this.#text || text === null || !this.isKept) return;
    this.#text = text;
    const { title, learned, programs, moments } = readText(text);
    const known = [...this.moments];
    const before = this.#programs;
    /** The moment of this tab that is the same, but for what its author writes and chooses. */
    const same = (one: Collected) =>
      known.findIndex(
        ({ at, place, program }) =>
          at === one.at && place.step === one.place.step && before[program]!.source === programs[one.program]!.source,
      );
    this.#title = title;
    this.#learned = learned;
    this.#programs = programs;
    this.moments = moments.map((one) => {
      const found = same(one);
      return found < 0 ? withId(one) : { ...one, id: known.splice(found, 1)[0]!.id };
    });
  }

  get title(): string {
    return this.#title;
  }

  set title(words: string) {
    this.follow();
    this.#title = words;
    this.#keep();
  }

  get learned(): string {
    return this.#learned;
  }

  set learned(words: string) {
    this.follow();
    this.#learned = words;
    this.#keep();
  }

  get lecture(): Lecture {
    const moments = this.moments.map(({ id: _id, ...moment }) => moment);
    return withUsedPrograms({ title: this.title, learned: this.learned, programs: [...this.#programs], moments });
  }

  /** Adds a moment at the end; gives its number, from 1. */
  add({ at, source, seed, raises }: NamedMoment, caption: string, hide: readonly PanelName[]): number {
    this.follow();
    const program = this.#placeOf({ source, seed, raises });
    const moment = withId({ program, at: at.text, place: at.place!, caption, text: '', question: null, hide });
    this.moments = [...this.moments, moment];
    this.removed = null;
    this.added = moment.id;
    this.#keep();
    return this.moments.length;
  }

  /** The index of a program, which is added where it is not there yet. */
  #placeOf(program: Program): number {
    const found = this.#programs.findIndex(({ source, seed }) => source === program.source && seed === program.seed);
    if (found >= 0) return found;
    this.#programs = [...this.#programs, program];
    return this.#programs.length - 1;
  }

  change(id: number, change: Partial<Pick<Collected, 'text' | 'question' | 'hide'>>): void {
    this.follow();
    this.moments = this.moments.map((one) => (one.id === id ? { ...one, ...change } : one));
    this.#keep();
  }

  /** Gives a moment another place, within those that there are. */
  move(id: number, to: number): void {
    this.follow();
    const moment = this.moments.find((one) => one.id === id);
    if (!moment) return;
    const rest = this.moments.filter((one) => one.id !== id);
    rest.splice(Math.max(0, Math.min(rest.length, to)), 0, moment);
    this.moments = rest;
    this.#keep();
  }

  remove(id: number): void {
    this.follow();
    const at = this.moments.findIndex((one) => one.id === id);
    if (at < 0) return;
    const moment = this.moments[at]!;
    this.removed = { moment, program: this.programOf(moment), at };
    this.moments = this.moments.filter((one) => one.id !== id);
    this.#keep();
  }

  /** Brings back what was removed last. */
  restore(): void {
    if (!this.removed) return;
    this.follow();
    const { moment, program, at } = this.removed;
    this.removed = null;
    const back = { ...moment, program: this.#placeOf(program) };
    this.moments = [...this.moments.slice(0, at), back, ...this.moments.slice(at)];
    this.#keep();
  }

  /** The program of a moment. */
  programOf({ program }: Collected): Program {
    return this.#programs[program]!;
  }

  /** Writes the draft into the storage of the browser. */
  #keep(): void {
    try {
      const { lecture } = this;
      const isEmpty = lecture.moments.length === 0 && lecture.title === '' && lecture.learned === '';
      const text = isEmpty ? '' : JSON.stringify(lecture);
      this.isKept = text.length <= MOST_CHARS;
      if (!this.isKept) return;
      // An empty text, not none: other tabs follow it.
      localStorage.setItem(KEY, text);
      this.#text = text;
    } catch {
      this.isKept = false;
    }
  }
}

export const draft = new Draft();
