// What the reader answered to the questions of lessons and the changes that were reached, kept in this browser for the version of the lesson.

import type { Lesson } from '../protocol/lessons';
import { keptEntries } from './kept';

const KEY = 'backscope.answers';
/** What is read and kept at most, of whatever another version or a program wrote there. */
const MOST_LESSONS = 50;
const MOST_CHARS = 300_000;

/** By the line of the question or change: what was given, null for a question that was skipped, and whether the answer was seen. */
export type Answered = Record<string, { given: unknown; revealed: boolean }>;
type Kept = { version: string; answered: Answered };

/** What differs between versions of a text: two sums of its characters with weights, of 32 bits each. */
function hashOf(text: string): string {
  let [one, other] = [0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    one = (Math.imul(one, 31) + code) | 0;
    other = (Math.imul(other, 1_000_003) + code) | 0;
  }
  return `${one}.${other}`;
}

function isKept(found: unknown): found is Kept {
  const { version, answered } = (found ?? {}) as Record<string, unknown>;
  return typeof version === 'string' && typeof answered === 'object' && answered !== null;
}

export class Answers {
  readonly #name: string;
  readonly #version: string;

  /** Those to a lesson; `storage` keeps them for as long as it lasts. */
  constructor(
    { name, blocks }: Pick<Lesson, 'name' | 'blocks'>,
    private readonly storage: () => Storage = () => localStorage,
  ) {
    this.#version = hashOf(JSON.stringify(blocks));
    // The name of a collected lesson holds all of it.
    this.#name = name.length <= 100 ? name : this.#version;
  }

  /** Those that were given before. */
  read(): Answered {
    const found = this.#all()[this.#name];
    return found?.version === this.#version ? found.answered : {};
  }

  keep(line: number, given: unknown, revealed: boolean): void {
    this.#write({ ...this.read(), [line]: { given, revealed } });
  }

  forget(): void {
    this.#write(null);
  }

  #write(answered: Answered | null): void {
    const { [this.#name]: _before, ...rest } = this.#all();
    const others = Object.entries(rest);
    if (answered) others.push([this.#name, { version: this.#version, answered }]);
    try {
      let text: string;
      do text = JSON.stringify(Object.fromEntries(others));
      while ((others.length > MOST_LESSONS || text.length > MOST_CHARS) && others.shift());
      this.storage().setItem(KEY, text);
    } catch {
      // Without storage the answers last as long as the page.
    }
  }

  #all(): Record<string, Kept> {
    const entries = keptEntries(this.storage, KEY, MOST_CHARS);
    return Object.fromEntries(entries.filter((entry): entry is [string, Kept] => isKept(entry[1])));
  }
}
