// The sum of a forward step for one element of its result, which the reader follows.

import { broadcastAt, ravel } from '../facts/elements';
import { element, number } from '../format/number';
import type { Summary } from '../protocol/events';
import { own } from '../protocol/own';
import { isNear } from './element-formula';
import { ADDED, type Applied, bracketed, expressionIn, type Made, textOf, tidy } from './forward-op';
import { type Elided, elided, gathered, termOf } from './mixed/elision';
import { mixedAt } from './mixed/forward-mixed';
import { added, multiplied, reduced, reducedAt, reductionOf } from './reduction';
import { asShown, isShownAs, isWhole, MOST_RULE, placed, type Sum } from './sum-text';

/** Ops that multiply rows by columns, or a row by a vector. */
const PRODUCTS = new Set(['dot', 'mv', 'mm', 'bmm']);
const MOST_TERMS = 4;

/** The element of a tensor at a place of its shape, as text; null where the log does not have it. */
export function elementText(summary: Summary, place: readonly number[]): string | null {
  const at = placeIn(summary, place);
  return at === null ? null : element(summary.values[at]!, summary.dtype);
}

/** `[0, 1]: 2 × 3`, `6`: an op at a place of its result; null where the numbers of that place are not known. */
export function elementSum(applied: Applied, { place, term }: Made, isElementwise: boolean): Sum | null {
  const { op, event, output, held } = applied;
  const result = elementText(output, place);
  if (result === null) return null;
  const texts = isElementwise
    ? [
        expressionIn(op, event, (tensor) => {
          const value = held(tensor);
          return value && elementText(value, place);
        }),
      ]
    : (productTexts(applied, place, term) ??
      reductionTexts(applied, place, term) ??
      mixedTexts(applied, place, term) ??
      []);
  for (const text of texts) {
    const parts = text === null ? null : placed(place, tidy(text), result, MOST_RULE);
    if (parts) return { parts, arrow: null, to: '' };
  }
  // The result of the shortest one may be in a row of its own.
  const shortest = texts.at(-1);
  const row = shortest == null ? null : placed(place, tidy(shortest), '', MOST_RULE + ' = '.length);
  return row && { parts: [row[0]!, result], arrow: null, to: '', rows: [row[0]!, `= ${result}`] };
}

/** Where in an op's inputs the two factors of its product are; null where it is none. */
export function factorsIn({ op, event }: Pick<Applied, 'op' | 'event'>): [number, number] | null {
  if (PRODUCTS.has(op)) return [0, 1];
  const names = event.inputs.map(({ name }) => name);
  const isPlain = ['alpha', 'beta'].every((name) => Number(textOf(event, name) ?? 1) === 1);
  const [, one, other] = own(ADDED, op) ?? [];
  return one && other && isPlain ? [names.indexOf(one), names.indexOf(other)] : null;
}

/** The pairs of numbers that an element of a product is the sum of; null where the op is none, or a number is not known. */
export function factorsAt(applied: Applied, place: readonly number[]): [number, number][] | null {
  const [left, right] = factorsIn(applied) ?? [-1, -1];
  const [one, other] = [applied.inputs[left], applied.inputs[right]];
  if (!one || !other || !isWhole(one) || !isWhole(other)) return null;
  if ([one, other].some(({ values }) => values.some(Array.isArray))) return null;
  const isVector = other.shape.length === 1;
  const row = isVector ? place : place.slice(0, -1);
  const before = place.slice(0, other.shape.length - 2);
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

/** `1 × 3 + 2 × 4`: an element of a product as the sum that it is; null where the op is none, or the numbers do not come to it. */
function productTexts(applied: Applied, place: readonly number[], term: number | null): string[] | null {
  const factors = factorsAt(applied, place);
  if (!factors || factors.length === 0) return null;
  const [left] = factorsIn(applied)!;
  const bias = left > 0 ? applied.inputs[0] : null;
  const at = bias ? placeIn(bias, place) : null;
  if (left > 0 && (!bias || at === null)) return null;
  const first = bias && at !== null ? Number(bias.values[at]) : 0;
  const total = factors.reduce((sum, [a, b]) => sum + a * b, first);
  if (!comesTo(total, [first, ...factors.flat()], applied.output, ravel(place, applied.output.shape))) return null;
  const begin = bias && at !== null ? `${element(bias.values[at]!, bias.dtype)} + ` : '';
  const written = termsOf(factors);
  const terms = factors.map(([a, b], i) => ({ text: written[i]!, value: a * b, shown: asShown(a) * asShown(b) }));
  const makes = (shown: readonly number[]) => asShown(first) + added(shown);
  return readable(elided(terms, added, MOST_TERMS, term), makes, applied, place).map(
    (texts) => begin + texts.join(' + '),
  );
}

/** `1 + 2 + 3`, `max(1, 2)`: an element of a reduction by what was reduced to it; null where the op is none, or the numbers do not come to it. */
function reductionTexts(applied: Applied, place: readonly number[], term: number | null): string[] | null {
  const { op, event, inputs } = applied;
  const held = inputs[0];
  const reduction = reductionOf({ ...event, op });
  const numbers = reduction && held ? reducedAt(event, place, held) : null;
  if (!reduction || !numbers || numbers.length < 2) return null;
  if (!comesTo(reduced(reduction, numbers), numbers, applied.output, ravel(place, applied.output.shape))) return null;
  const { gather } = reduction;
  const terms = numbers.map((one) => termOf(one, op === 'prod' ? bracketed(number(one)) : number(one)));
  const makes = (shown: readonly number[]) => reduction.finish(gather(shown), numbers.length);
  return readable(elided(terms, gather, MOST_TERMS, term), makes, applied, place).map((texts) =>
    reduction.write(texts, numbers.length),
  );
}

/** `exp(1) / (exp(1) + exp(2))`: an element of what an op mixes; null where it is none, or the numbers do not come to it. */
function mixedTexts(applied: Applied, place: readonly number[], term: number | null): string[] | null {
  const mixed = mixedAt(applied, place);
  if (!mixed) return null;
  const { terms, isProduct, make, write } = mixed;
  const gather = isProduct ? multiplied : added;
  const numbers = terms.map(({ value }) => value);
  const total = make(gather(numbers), (value) => value);
  if (!comesTo(total, [...numbers, total], applied.output, ravel(place, applied.output.shape))) return null;
  const makes = (shown: readonly number[]) => make(gather(shown), asShown);
  const ways = elided(terms, gather, MOST_TERMS, term);
  // All terms as one say something only where more is made of them.
  if (terms.length > 1 && write('') !== '') ways.push(gathered(terms, gather));
  return readable(ways, makes, applied, place).map((texts) =>
    // What is left out has its own brackets.
    write(texts.join(isProduct ? ' × ' : ' + ')).replace(/\((\(…[^()]*\))\)/g, '$1'),
  );
}

/** The texts of those ways of writing terms of which a reader works out the element that is shown. */
function readable(
  ways: readonly Elided[],
  makes: (shown: readonly number[]) => number,
  { output }: Applied,
  place: readonly number[],
): string[][] {
  const result = Number(output.values[ravel(place, output.shape)]);
  return ways.filter(({ shown }) => isShownAs(makes(shown), result, shown)).map(({ texts }) => texts);
}

/** Whether what was computed from numbers is an element of a result, as near as its dtype tells. */
export function comesTo(total: number, numbers: readonly number[], output: Summary, at: number): boolean {
  const given = output.values[at];
  if (given === undefined || Array.isArray(given)) return false;
  const largest = Math.max(0, ...numbers.map(Math.abs).filter(Number.isFinite));
  return isNear(total, Number(given), largest, output.dtype);
}

/** Which of the elements in the log is at a place of a shape that a tensor is broadcast to; null where it is not there. */
function placeIn(summary: Summary, place: readonly number[]): number | null {
  const { shape } = summary;
  const own = place.slice(place.length - shape.length);
  if (shape.length > place.length || shape.some((size, dim) => size !== 1 && own[dim]! >= size)) return null;
  const at = isWhole(summary) ? broadcastAt(place, shape) : null;
  return at !== null && at < summary.values.length ? at : null;
}
