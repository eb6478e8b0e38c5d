// Reductions: which elements of a tensor an element of their result is made of, and how that is written.

import { elementCount, ravel, unravel } from '../facts/elements';
import type { OpApplied, Summary } from '../protocol/events';
import { own } from '../protocol/own';
import { textOf } from './forward-op';

type Reduction = {
  /** What some elements come to together, and the result from what all of them come to. */
  gather(numbers: readonly number[]): number;
  finish(total: number, count: number): number;
  write(terms: readonly string[], count: number): string;
};

export const added = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);
export const multiplied = (numbers: readonly number[]) => numbers.reduce((total, one) => total * one, 1);
const itself = (total: number) => total;
/** What an op makes of all that it reduces to one element. */
const REDUCTIONS: Readonly<Record<string, Reduction>> = {
  sum: { gather: added, finish: itself, write: (terms) => terms.join(' + ') },
  mean: {
    gather: added,
    finish: (total, count) => total / count,
    write: (terms, count) => `(${terms.join(' + ')}) / ${count}`,
  },
  prod: { gather: multiplied, finish: itself, write: (terms) => terms.join(' × ') },
  amax: { gather: (numbers) => Math.max(...numbers), finish: itself, write: (terms) => `max(${terms.join(', ')})` },
  amin: { gather: (numbers) => Math.min(...numbers), finish: itself, write: (terms) => `min(${terms.join(', ')})` },
};

/** What all elements that an op reduces come to. */
export function reduced({ gather, finish }: Reduction, numbers: readonly number[]): number {
  return finish(gather(numbers), numbers.length);
}

/** What an op does with all elements that it reduces to one; null where it is no such op. */
export function reductionOf({ op, inputs }: Pick<OpApplied, 'op' | 'inputs'>): Reduction | null {
  const name = /^(?:max|min)$/.test(op) ? `a${op}` : op;
  return inputs.filter(({ tensor }) => tensor !== null).length === 1 ? (own(REDUCTIONS, name) ?? null) : null;
}

/** The dims of a tensor of so many that a reduction takes away or leaves with one element. */
export function reducedDims(event: OpApplied, rank: number): number[] {
  const named = [...(textOf(event, 'dim') ?? '').matchAll(/-?\d+/g)].map(([dim]) => Number(dim));
  const all = Array.from({ length: rank }, (_, dim) => dim);
  return named.length === 0 ? all : all.filter((dim) => named.includes(dim) || named.includes(dim - rank));
}

/** The place in the result that an element is reduced to, and which of the elements there it is; null where the op is no reduction. */
export function reducedTo(
  event: OpApplied,
  element: readonly number[],
  shape: readonly number[],
): { place: number[]; term: number } | null {
  const out = event.outputs[0]?.value.shape;
  if (!out || !reductionOf(event)) return null;
  const dims = reducedDims(event, shape.length);
  const isKept = out.length === shape.length;
  const place = element.flatMap((index, dim) => (dims.includes(dim) ? (isKept ? [0] : []) : [index]));
  const term = ravel(
    dims.map((dim) => element[dim]!),
    dims.map((dim) => shape[dim]!),
  );
  return place.length === out.length ? { place, term } : null;
}

/** All elements of a tensor that come to the one at a place of a result; null where the log lacks some of them. */
export function reducedAt(event: OpApplied, place: readonly number[], held: Summary): number[] | null {
  const { shape, values } = held;
  if (values.length !== elementCount(shape) || values.some(Array.isArray)) return null;
  const dims = reducedDims(event, shape.length);
  const isKept = place.length === shape.length;
  const sizes = dims.map((dim) => shape[dim]!);
  return Array.from({ length: elementCount(sizes) }, (_, nr) => {
    const within = unravel(nr, sizes);
    const kept = isKept ? place.filter((_, dim) => !dims.includes(dim)) : [...place];
    const at = shape.map((_, dim) => (dims.includes(dim) ? within[dims.indexOf(dim)]! : kept.shift()!));
    return Number(values[ravel(at, shape)]);
  });
}
