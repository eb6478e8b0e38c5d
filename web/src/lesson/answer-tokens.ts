// The tokens of a typed answer: numbers, names, texts and signs.

import { own } from '../protocol/own';

export type Token =
  | { kind: 'number' | 'imaginary'; number: number; text: string }
  | { kind: 'name' | 'text' | 'sign'; text: string };

const SPACE = /\s*/y;
const NUMBER = /(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y;
const NAME = /[A-Za-z_][\w.]*/y;
const TEXT = /'([^']*)'|"([^"]*)"/y;
const SIGN = /\*\*|[\s\S]/uy;
const ARGUMENT = /\s*([A-Za-z_]\w*)\s*=/y;
/** The value of an argument that is not looked at, as `grad_fn=<AddBackward0>` or `dtype=torch.float64`. */
const SKIPPED = /\s*(?:<[^>]*>|'[^']*'|[\w.]+)\s*/y;
/** What is typed in place of a sign of Python. */
const ALIKE: Record<string, string> = { '−': '-', '–': '-', '×': '*', '·': '*', '^': '**' };

export class AnswerTokens {
  #at = 0;

  constructor(readonly text: string) {}

  get atEnd(): boolean {
    this.#match(SPACE);
    return this.#at >= this.text.length;
  }

  /** What has not been read. */
  get rest(): string {
    return this.text.slice(this.#at).trim();
  }

  /** Reads the next token; null at the end. */
  next(): Token | null {
    if (this.atEnd) return null;
    const number = this.#match(NUMBER);
    if (number) {
      const value = Number(number[0].replaceAll('_', ''));
      const isImaginary = /[jJ]/.test(this.text[this.#at] ?? '');
      if (isImaginary) this.#at += 1;
      return { kind: isImaginary ? 'imaginary' : 'number', number: value, text: number[0] };
    }
    const quoted = this.#match(TEXT);
    if (quoted) return { kind: 'text', text: quoted[1] ?? quoted[2]! };
    const name = this.#match(NAME);
    if (name) return { kind: 'name', text: name[0] };
    const sign = this.#match(SIGN)![0];
    return { kind: 'sign', text: own(ALIKE, sign) ?? sign };
  }

  /** Whether a sign comes next. */
  isAt(sign: string): boolean {
    const before = this.#at;
    const token = this.next();
    this.#at = before;
    return token?.kind === 'sign' && token.text === sign;
  }

  /** Reads a sign where it comes next. */
  take(sign: string): boolean {
    if (!this.isAt(sign)) return false;
    this.next();
    return true;
  }

  /** Reads one of several signs; null where none of them comes next. */
  takeOne(...signs: readonly string[]): string | null {
    return signs.find((sign) => this.take(sign)) ?? null;
  }

  /** Reads the name of an argument and its `=`; null where none comes next. */
  argument(): string | null {
    return this.#match(ARGUMENT)?.[1] ?? null;
  }

  skipArgument(): void {
    this.#match(SKIPPED);
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.text);
    if (found) this.#at = pattern.lastIndex;
    return found;
  }
}
