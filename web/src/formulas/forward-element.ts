// The sum of a forward step for one element of its result, which the reader follows.

import { broadcastAt, elementCount, ravel } from '../facts/elements';
import { element, number } from '../format/number';
import type { Summary } from '../protocol/events';
import { isNear } from './element-formula';
import { type Applied, bracketed, expressionIn, tidy } from './forward-op';
import { placed, type Sum } from './sum-text';

/** Ops that multiply rows by columns, or a row by a vector. */
const PRODUCTS = new Set(['dot', 'mv', 'mm', 'bmm']);
const MOST_TERMS = 4;

/** The element of a tensor at a place of its shape, as text; null where the log does not have it. */
export function elementText(summary: Summary, place: readonly number[]): string | null {
  const at = placeIn(summary, place);
  return at === null ? null : element(summary.values[at]!, summary.dtype);
}

/** `[0, 1]: 2 × 3`, `6`: an op at a place of its result; null where the numbers of that place are not known. */
export function elementSum(applied: Applied, place: readonly number[], isElementwise: boolean): Sum | null {
  const { op, event, output, held } = applied;
  const result = elementText(output, place);
  if (result === null) return null;
  const text = isElementwise
    ? expressionIn(op, event, (tensor) => {
        const value = held(tensor);
        return value && elementText(value, place);
      })
    : elementOfProduct(applied, place);
  const parts = text === null ? null : placed(place, tidy(text), result);
  return parts && { parts, arrow: null, to: '' };
}

/** The pairs of numbers that an element of a product is the sum of; null where the op is none, or a number is not known. */
export function factorsAt({ op, inputs }: Applied, place: readonly number[]): [number, number][] | null {
  const [one, other] = inputs;
  if (!PRODUCTS.has(op) || !one || !other || !isWhole(one) || !isWhole(other)) return null;
  if ([one, other].some(({ values }) => values.some(Array.isArray))) return null;
  const isVector = other.shape.length === 1;
  const row = isVector ? place : place.slice(0, -1);
  const before = place.slice(0, op === 'bmm' ? 1 : 0);
  const column = place.slice(-1);
  return Array.from({ length: one.shape.at(-1)! }, (_, k) => [
    Number(one.values[ravel([...row, k], one.shape)]),
    Number(other.values[ravel(isVector ? [k] : [...before, k, ...column], other.shape)]),
  ]);
}

/** `1 × 3`, `2 × 4`: the terms that the factors make. */
export function termsOf(factors: readonly [number, number][]): string[] {
  return factors.map(([a, b]) => `${bracketed(number(a))} × ${bracketed(number(b))}`);
}

/** `1 × 3 + 2 × 4`: an element of a product as the sum that it is; null where the numbers do not come to it. */
function elementOfProduct(applied: Applied, place: readonly number[]): string | null {
  const { output } = applied;
  const factors = factorsAt(applied, place);
  if (!factors) return null;
  const total = factors.reduce((sum, [a, b]) => sum + a * b, 0);
  const largest = Math.max(0, ...factors.flat().map(Math.abs).filter(Number.isFinite));
  if (!isNear(total, Number(output.values[ravel(place, output.shape)]), largest, output.dtype)) return null;
  const written = termsOf(factors);
  const shown = written.length > MOST_TERMS ? [...written.slice(0, 2), '…', written.at(-1)!] : written;
  return shown.join(' + ');
}

/** Which of the elements in the log is at a place of a shape that a tensor is broadcast to; null where it is not there. */
function placeIn(summary: Summary, place: readonly number[]): number | null {
  const { shape } = summary;
  const own = place.slice(place.length - shape.length);
  if (shape.length > place.length || shape.some((size, dim) => size !== 1 && own[dim]! >= size)) return null;
  const at = isWhole(summary) ? broadcastAt(place, shape) : null;
  return at !== null && at < summary.values.length ? at : null;
}

function isWhole({ shape, values }: Summary): boolean {
  return values.length === elementCount(shape);
}
