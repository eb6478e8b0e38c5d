// Reads what a reader types as an answer: a number or a sum of numbers, a tensor, a shape, True, False, None or a text.

import * as say from '../messages/lesson/answer';
import { AnswerTokens } from './answer-tokens';
import type { Element, Num, Value } from './same';

/** What was typed as a value, or why it cannot be read; `echo` is set where the value is not what it looks like. */
export type Reading = { value: Value; echo: string | null } | { problem: string };

/** The longest answer that is read, and the most elements: an answer has at most 256 elements. */
const MOST_CHARS = 8000;
const MOST_ELEMENTS = 256;
const MOST_DEPTH = 16;

type Complex = { re: number; im: number };
type Parsed = number | Complex | boolean | null | string | Parsed[] | Value;

const NAMES = new Map<string, number | boolean | null>([
  ['true', true],
  ['false', false],
  ['none', null],
  ['nan', Number.NaN],
  ['inf', Number.POSITIVE_INFINITY],
  ['infinity', Number.POSITIVE_INFINITY],
]);
const PREFIX = /^(torch|np|numpy|math)\./;

class Unreadable extends Error {}

/** Reads an answer; a word without quotation marks is a text where `words`. */
export function readAnswer(typed: string, words = false): Reading {
  const text = typed.trim();
  if (text === '') return { problem: say.empty };
  if (text.length > MOST_CHARS) return { problem: say.tooLong(MOST_CHARS) };
  try {
    const parser = new Parser(text, words);
    const value = asValue(parser.all());
    return { value, echo: parser.computed ? written(value) : null };
  } catch (error) {
    if (error instanceof Unreadable) return { problem: error.message };
    throw error;
  }
}

class Parser {
  /** A number was computed of others, or a row has no brackets. */
  computed = false;
  readonly #tokens: AnswerTokens;
  #depth = 0;

  constructor(
    text: string,
    readonly words: boolean,
  ) {
    this.#tokens = new AnswerTokens(text);
  }

  /** The whole text: one value, or several with commas between them. */
  all(): Parsed {
    const first = this.#sum();
    const row: Parsed[] = [first];
    while (this.#tokens.take(',')) {
      if (this.#tokens.atEnd) break;
      row.push(this.#sum());
    }
    if (!this.#tokens.atEnd) throw new Unreadable(say.unexpected(this.#tokens.rest));
    if (row.length > 1) this.computed = true;
    return row.length > 1 ? row : first;
  }

  #sum(): Parsed {
    let left = this.#product();
    for (;;) {
      const sign = this.#tokens.takeOne('+', '-');
      if (!sign) return left;
      const right = this.#product();
      left = plus(left, sign === '+' ? right : negated(right));
      this.computed ||= typeof left === 'number';
    }
  }

  #product(): Parsed {
    let left = this.#signed();
    for (;;) {
      const sign = this.#tokens.takeOne('*', '/');
      if (!sign) return left;
      const right = this.#signed();
      this.computed = true;
      left = sign === '*' ? real(left) * real(right) : quotient(real(left), real(right));
    }
  }

  #signed(): Parsed {
    if (this.#tokens.take('-')) return negated(this.#signed());
    if (this.#tokens.take('+')) return this.#signed();
    const base = this.#single();
    if (!this.#tokens.take('**')) return base;
    this.computed = true;
    return finite(real(base) ** real(this.#signed()));
  }

  #single(): Parsed {
    const token = this.#tokens.next();
    if (!token) throw new Unreadable(say.unfinished);
    switch (token.kind) {
      case 'number':
        return token.number;
      case 'imaginary':
        return { re: 0, im: token.number };
      case 'text':
        return token.text;
      case 'name':
        return this.#named(token.text);
    }
    if (token.text === '(' || token.text === '[') return this.#nested(token.text);
    throw new Unreadable(say.unexpected(token.text));
  }

  /** What is in brackets: a row, or in round ones a single value. */
  #nested(open: string): Parsed {
    this.#depth += 1;
    if (this.#depth > MOST_DEPTH) throw new Unreadable(say.tooDeep);
    const close = open === '(' ? ')' : ']';
    const row: Parsed[] = [];
    let isRow = open === '[';
    while (!this.#tokens.take(close)) {
      row.push(this.#sum());
      if (row.length > MOST_ELEMENTS) throw new Unreadable(say.tooMany(MOST_ELEMENTS));
      if (this.#tokens.take(',')) isRow = true;
      else if (!this.#tokens.isAt(close)) throw new Unreadable(say.notClosed(close));
    }
    this.#depth -= 1;
    return isRow || row.length === 0 ? row : row[0]!;
  }

  #named(name: string): Parsed {
    const bare = name.replace(PREFIX, '');
    if (this.#tokens.take('(')) return this.#called(bare);
    const known = NAMES.get(bare.toLowerCase());
    if (known !== undefined) return known;
    if (this.words) return name;
    throw new Unreadable(say.aName(name));
  }

  /** What is called by its name as PyTorch prints it: `tensor(...)`, `torch.Size(...)`, `float('nan')`. */
  #called(name: string): Parsed {
    if (name !== 'tensor' && name !== 'Size' && name !== 'float') throw new Unreadable(say.aCall(name));
    const held = this.#tokens.isAt(')') ? [] : this.#sum();
    let size: number[] | null = null;
    while (this.#tokens.take(',')) {
      const argument = this.#tokens.argument();
      if (argument === null) break;
      if (argument === 'size') size = sizes(this.#sum());
      else this.#tokens.skipArgument();
    }
    if (!this.#tokens.take(')')) throw new Unreadable(say.notClosed(')'));
    if (name === 'tensor') return Array.isArray(held) || isComplex(held) ? tensorOf(held, size) : held;
    if (name === 'Size') {
      if (!Array.isArray(held)) throw new Unreadable(say.notAShape);
      return held;
    }
    if (typeof held !== 'string') return real(held);
    const number = NAMES.get(held.toLowerCase().replace(/^[+-]/, '')) ?? null;
    if (typeof number !== 'number') throw new Unreadable(say.notANumber);
    return held.startsWith('-') ? -number : number;
  }
}

function real(value: Parsed): number {
  if (typeof value !== 'number') throw new Unreadable(say.notANumber);
  return value;
}

function finite(number: number): number {
  if (!Number.isFinite(number)) throw new Unreadable(say.notFinite);
  return number;
}

function quotient(one: number, other: number): number {
  if (other === 0) throw new Unreadable(say.dividedByZero);
  return one / other;
}

function isComplex(value: Parsed): value is Complex {
  return typeof value === 'object' && value !== null && 're' in value;
}

function plus(one: Parsed, other: Parsed): Parsed {
  if (isComplex(one) || isComplex(other)) {
    const [a, b] = [complexOf(one), complexOf(other)];
    return { re: a.re + b.re, im: a.im + b.im };
  }
  return real(one) + real(other);
}

function complexOf(value: Parsed): Complex {
  return isComplex(value) ? value : { re: real(value), im: 0 };
}

function negated(value: Parsed): Parsed {
  return isComplex(value) ? { re: -value.re, im: -value.im } : -real(value);
}

function sizes(held: Parsed): number[] {
  if (!Array.isArray(held)) throw new Unreadable(say.notAShape);
  return held.map(real);
}

function asValue(held: Parsed): Value {
  if (held === null) return { kind: 'none' };
  if (typeof held === 'boolean') return { kind: 'bool', bool: held };
  if (typeof held === 'number') return { kind: 'number', number: numberOf(held) };
  if (typeof held === 'string') return { kind: 'text', text: held };
  if (isComplex(held)) return tensorOf(held, null);
  if (!Array.isArray(held)) return held;
  if (held.every((one) => typeof one === 'number')) return { kind: 'numbers', numbers: held.map(numberOf) };
  return tensorOf(held, null);
}

/** The tensor of nested rows; `size` is the shape of one without elements. */
function tensorOf(held: Parsed, size: number[] | null): Value {
  const shape: number[] = [];
  for (let row = held; Array.isArray(row); row = row[0]!) {
    shape.push(row.length);
    if (row.length === 0) break;
  }
  const flat: Parsed[] = [];
  flatten(held, shape, flat);
  if (flat.length > MOST_ELEMENTS) throw new Unreadable(say.tooMany(MOST_ELEMENTS));
  const isPairs = flat.some(isComplex);
  const elements = flat.map((one): Element => {
    if (isPairs) {
      const { re, im } = complexOf(one);
      return [numberOf(re), numberOf(im)];
    }
    return typeof one === 'boolean' ? Number(one) : numberOf(real(one));
  });
  return { kind: 'tensor', shape: elements.length === 0 && size ? size : shape, elements };
}

function flatten(held: Parsed, shape: readonly number[], flat: Parsed[]): void {
  const [length, ...inner] = shape;
  if (length === undefined) {
    if (Array.isArray(held)) throw new Unreadable(say.ragged);
    flat.push(held);
    return;
  }
  if (!Array.isArray(held) || held.length !== length) throw new Unreadable(say.ragged);
  for (const one of held) flatten(one, inner, flat);
}

function numberOf(number: number): Num {
  if (Number.isFinite(number)) return number;
  return Number.isNaN(number) ? 'NaN' : number > 0 ? 'Infinity' : '-Infinity';
}

/** A value as Python text. */
export function written(value: Value): string {
  switch (value.kind) {
    case 'number':
      return short(value.number);
    case 'numbers':
      return `[${value.numbers.map(short).join(', ')}]`;
    case 'tensor':
      return nested(value.elements, value.shape);
    case 'bool':
      return value.bool ? 'True' : 'False';
    case 'text':
      return `'${value.text}'`;
    case 'none':
      return 'None';
  }
}

function short(number: Num): string {
  return typeof number === 'string' ? number : String(Number(number.toPrecision(6)));
}

function nested(elements: readonly Element[], [length, ...inner]: readonly number[]): string {
  if (length === undefined) {
    const [one] = elements;
    return Array.isArray(one) ? `${short(one[0]!)}+${short(one[1]!)}j`.replace('+-', '-') : short(one!);
  }
  const size = length === 0 ? 0 : elements.length / length;
  const rows = Array.from({ length }, (_, at) => nested(elements.slice(at * size, (at + 1) * size), inner));
  return `[${rows.join(', ')}]`;
}
