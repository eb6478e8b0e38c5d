// A backward formula with the numbers of one element, its sums written out: for ops that mix the elements of a dim.

import { broadcastAt, elementCount, ravel, unravel } from '../facts/elements';
import type { Argument, Summary } from '../protocol/events';
import { numeral } from './arithmetic';
import { evaluated } from './evaluation';
import { type Binding, INCOMING, numbered, type Writing } from './formula';

/** What a formula is filled from. */
export type Filling = { bindings: ReadonlyMap<string, Binding>; incoming: Summary; args: readonly Argument[] };

/** The index of an element along the dim of its op. */
export const INDEX = /(?<![A-Za-z\\_])i(?![A-Za-z])/g;
/** A sum, up to where its bracket ends or another term begins. */
const SUM = /\\(?:textstyle\s*\\)?sum(?![A-Za-z_])\s*((?:\\text\{\w+\}|[^(){}+\s-]|\s(?!\s*[-+]))+)/g;
const PLACE = '\u2211';
const MOST_TERMS = 5;
const TOLERANCE = 1e-4;
/** Numbers of low precision are farther apart. */
const LOW_TOLERANCE = 2e-2;

/**
 * The formula with the numbers of the element at `place`, and once more with the sums in it as what they come to; null where the
 * numbers do not come to what was sent there.
 */
export function elementFilled(
  latex: string,
  filling: Filling,
  sent: Summary,
  place: readonly number[],
): { filled: string; brief: string | null } | null {
  const given = sent.values[ravel([...place], sent.shape)];
  if (given === undefined || Array.isArray(given)) return null;
  const value = evaluated(filledBy(latex, filling, sent, place, (one) => exact(one), Number.POSITIVE_INFINITY) ?? '?');
  if (value === null) return null;
  const g = Number(elementOf(filling.incoming, place, sent.shape, dimsOf(filling.args, sent.shape)) ?? 0);
  if (!isNear(value, Number(given), g, sent.dtype)) return null;
  const filled = filledBy(latex, filling, sent, place, numeral, MOST_TERMS);
  return filled === null ? null : { filled, brief: filledBy(latex, filling, sent, place, numeral, 0) };
}

/** Whether a computed value is the one that was sent, with the incoming gradient `g`, as far as the dtype holds it. */
export function isNear(value: number, sent: number, g: number, dtype: string): boolean {
  const tolerance = /16$/.test(dtype) ? LOW_TOLERANCE : TOLERANCE;
  const sizes = [value, sent, g].map(Math.abs).filter(Number.isFinite);
  return Object.is(value, sent) || Math.abs(value - sent) <= tolerance * Math.max(0, ...sizes);
}

function filledBy(
  latex: string,
  { bindings, incoming, args }: Filling,
  sent: Summary,
  place: readonly number[],
  written: (value: number) => string,
  /** Of each sum, so many terms are written; 0 writes what it comes to. */
  most: number,
): string | null {
  const dims = dimsOf(args, sent.shape);
  const readerOf =
    (write: (value: number) => string) =>
    (at: readonly number[], shape: readonly number[]): Writing =>
    (summary) => {
      const value = summary && elementOf(summary, at, shape, dims);
      if (value === null || value === undefined) return null;
      return summary!.dtype.endsWith('bool') ? `\\text{${value ? 'True' : 'False'}}` : write(value);
    };
  const sums: string[] = [];
  let missing = false;
  const own = dims.length === 1 ? latex.replace(INDEX, String(place[dims[0]!])) : latex;
  const open = own.replace(SUM, (_, body: string) => {
    const along = summedPlaces(incoming, sent, place, dims);
    const isCut = most > 0 && along.places.length > most;
    const shown = isCut ? [...along.places.slice(0, most - 2), null, along.places.at(-1)!] : along.places;
    const write = most > 0 ? written : exact;
    const terms = shown.map((at) => {
      if (at === null) return '\\dots';
      const term = numbered(body.trim(), bindings, incoming, args, readerOf(write)(at, along.shape));
      missing ||= term === null;
      return term ?? '';
    });
    if (most === 0) {
      const total = terms.reduce((sum, term) => sum + (evaluated(term) ?? Number.NaN), 0);
      const text = written(total);
      sums.push(text.startsWith('-') ? `(${text})` : text);
    } else sums.push(terms.length === 1 ? terms[0]! : `(${terms.join(' + ')})`);
    return PLACE;
  });
  const outer = readerOf(written)(place, sent.shape);
  // Outside of its sums a formula may have no gradient.
  const free: Writing = (summary) => (summary === incoming ? '0' : outer(summary));
  const filled = missing ? null : numbered(open, bindings, incoming, args, open.search(INCOMING) < 0 ? free : outer);
  return filled?.replaceAll(PLACE, () => sums.shift()!).replaceAll('\\mathbf{1}', '1') ?? null;
}

/** The places that go into the element: along the dims of the op, or along those that the incoming gradient has beyond it. */
function summedPlaces(incoming: Summary, sent: Summary, place: readonly number[], dims: readonly number[]) {
  const lead = incoming.shape.length - sent.shape.length;
  const shape = lead > 0 ? incoming.shape : sent.shape;
  const fixed = lead > 0 ? [...Array<number>(lead).fill(0), ...place] : [...place];
  const over =
    lead > 0 ? shape.slice(0, lead).map((_, dim) => dim) : dims.length > 0 ? dims : shape.map((_, dim) => dim);
  const sizes = over.map((dim) => shape[dim]!);
  const places = Array.from({ length: elementCount(sizes) }, (_, flat) => {
    const at = [...fixed];
    for (const [i, index] of unravel(flat, sizes).entries()) at[over[i]!] = index;
    return at;
  });
  return { shape, places };
}

/** The dims that an op was given. */
function dimsOf(args: readonly Argument[], shape: readonly number[]): number[] {
  const text = args.find(({ name }) => name === 'dim')?.text ?? '';
  const dims = [...text.matchAll(/-?\d+/g)].map(
    ([digits]) => (Number(digits) + shape.length) % Math.max(1, shape.length),
  );
  return dims.length > 0 || shape.length !== 1 ? dims : [0];
}

/** What of a tensor belongs to a place: of one reduced along the dims, of one broadcast to the shape; null where there is nothing. */
function elementOf(
  summary: Summary,
  place: readonly number[],
  shape: readonly number[],
  dims: readonly number[],
): number | null {
  const kept = place.filter((_, dim) => !dims.includes(dim));
  const reduced = shape.filter((_, dim) => !dims.includes(dim));
  const isReduced = summary.shape.length < shape.length && summary.shape.join() === reduced.join();
  const lead = shape.length - summary.shape.length;
  if (!isReduced && summary.shape.some((size, dim) => size !== 1 && size !== shape[dim + lead])) return null;
  const at = broadcastAt(isReduced ? kept : place, summary.shape);
  const value = at === null ? undefined : summary.values[at];
  return value === undefined || Array.isArray(value) ? null : Number(value);
}

/** A number with all its digits as it is in a formula. */
function exact(value: number): string {
  if (Number.isNaN(value)) return '\\text{NaN}';
  return String(value).replace('Infinity', '\\infty');
}

/** What tensors of one shape, or broadcast to it, hold at a place, or what single elements are, with all digits. */
export function exactAt(place: readonly number[] | null): Writing {
  return (summary) => {
    if (!summary || (!place && summary.values.length !== 1)) return null;
    const value = summary.values[(place ? broadcastAt(place, summary.shape) : 0) ?? -1];
    return value === undefined || Array.isArray(value) ? null : exact(Number(value));
  };
}
