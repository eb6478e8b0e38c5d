// Reads the text of the search field as words that must all fit.

import type { Row } from './catalogue';

type Word =
  | { kind: 'text'; text: string }
  | { kind: 'shape'; dims: (number | null)[]; open: boolean }
  /** A number; what is also a text, as `l1` and `2` are, is looked for in names too. */
  | { kind: 'number'; of: 'any' | 'line' | 'node'; number: number; name: RegExp | null };

const BRACKETED = /^[[(]\s*((?:\d+|\*)?(?:\s*[x×,]\s*(?:\d+|\*))*)\s*,?\s*([\])]?)$/;
const BARE = /^((?:\d+|\*)(?:[x×,](?:\d+|\*))+)()$/;
const NUMBER = /^(?:(line|l|node|n)(\s*[:=]?\s*)|(#|:))?(\d+)$/i;
/** Brackets hold together what is in them, and a word before a number belongs to it. */
const WORDS = /[[(][^\])]*[\])]?|(?:line|node)\s*[:=]?\s*\d+(?!\w)|\S+/gi;

/** A query that rows can be held against. */
export class Query {
  readonly #words: Word[];
  readonly #known: Map<string, boolean>[];

  constructor(text: string) {
    this.#words = (text.match(WORDS) ?? []).map(read);
    this.#known = this.#words.map(() => new Map());
  }

  /** Whether it asks for nothing. */
  get isEmpty(): boolean {
    return this.#words.length === 0;
  }

  /** Whether every word fits something of a row. */
  fits(row: Row): boolean {
    return this.#words.every((word, i) => this.#fits(word, row, this.#known[i]!));
  }

  #fits(word: Word, row: Row, known: Map<string, boolean>): boolean {
    if (word.kind === 'number') {
      if (word.of !== 'node' && row.line === word.number) return true;
      if (word.of !== 'line' && row.node === word.number) return true;
      const { name } = word;
      if (!name) return false;
      const isNamed = (text: string): boolean => remembered(known, text, () => name.test(text));
      return isNamed(row.op) || isNamed(row.module) || row.names.some(isNamed);
    }
    if (word.kind === 'shape') return row.shapes.some((shape) => remembered(known, shape, () => hasShape(word, shape)));
    const has = (text: string): boolean =>
      text !== '' && remembered(known, text, () => text.toLowerCase().includes(word.text));
    // A node's name is read by its parts: `mul` is not in `AccumulateGrad`.
    const isNode = (): boolean => remembered(known, `(${row.grad})`, () => hasPart(row.grad, word.text));
    return has(row.op) || isNode() || has(row.module) || row.names.some(has);
  }
}

function remembered(known: Map<string, boolean>, text: string, find: () => boolean): boolean {
  const before = known.get(text);
  if (before !== undefined) return before;
  const now = find();
  known.set(text, now);
  return now;
}

function hasPart(name: string, text: string): boolean {
  const lower = name.toLowerCase();
  for (let at = lower.indexOf(text); at >= 0; at = lower.indexOf(text, at + 1)) {
    if (at === 0 || name[at] !== lower[at] || /\d/.test(name[at]!)) return true;
  }
  return false;
}

function read(word: string): Word {
  const number = NUMBER.exec(word);
  if (number) {
    const sign = (number[1] ?? number[3] ?? '').toLowerCase();
    const of = sign === '' ? 'any' : sign === ':' || sign.startsWith('l') ? 'line' : 'node';
    // A digit alone is in far too many names: it has to be a part of a path, such as `layers.2`.
    const isText = number[2] ? false : number[3] === undefined;
    const name = !isText ? null : sign === '' ? new RegExp(`(?:^|\\.)${word}(?:\\.|$)`) : new RegExp(word, 'i');
    return { kind: 'number', of, number: Number(number[4]), name };
  }
  const bracketed = BRACKETED.exec(word);
  const shape = bracketed ?? BARE.exec(word);
  if (!shape) return { kind: 'text', text: word.toLowerCase() };
  const inner = shape[1]!.trim();
  const dims = inner === '' ? [] : inner.split(/[x×,]/).map((dim) => (dim.trim() === '*' ? null : Number(dim)));
  // While one still types, what is there is the beginning.
  return { kind: 'shape', dims, open: bracketed !== null && shape[2] === '' };
}

function hasShape({ dims, open }: Extract<Word, { kind: 'shape' }>, shape: string): boolean {
  const own = shape === '' ? [] : shape.split('x').map(Number);
  if (open ? own.length < dims.length : own.length !== dims.length) return false;
  return dims.every((dim, i) => dim === null || dim === own[i] || (open && isBegun(dims, i, own[i]!)));
}

/** Whether the last number that was typed so far begins a dimension. */
function isBegun(dims: readonly (number | null)[], i: number, own: number): boolean {
  return i === dims.length - 1 && String(own).startsWith(String(dims[i]));
}
