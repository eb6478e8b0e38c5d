// The numbers of a step as formulas: gradients that add up, a broadcast that is folded back, what `.grad` and parameters become.

import { broadcastAt, elementCount, ravel, unravel } from '../facts/elements';
import { number } from '../format/number';
import { mostExtreme } from '../origins/element-place';
import type { Summary, TensorElement } from '../protocol/events';
import type { Update } from '../timeline/updates';
import { elementFigure, figure, nameLatex, plain } from './formula';

/** A term of a sum, and who brought it. */
export type Term = { value: Summary; from: string };

/** What of a tensor is in a formula: all of it, or an element of it. */
type Figures = { texts: string[]; place: number[] | null };

const MOST_TERMS = 6;
const MOST_COLUMNS = 3;
const MOST_ROWS = 3;
/** Elements of a result that are shown one by one, and terms of each. */
const MOST_ELEMENTS = 3;
const MOST_FOLDED = 8;
const TOLERANCE = 1e-4;

/** `∇x = 3 + 4 = 7`, a line for each term; null where no element of all of them is known. */
export function sumLatex(left: string, terms: readonly Term[], total: Summary): string | null {
  const figures = figuresOf([...terms.map(({ value }) => value), total]);
  if (!figures) return null;
  const { texts, place } = figures;
  const rows = terms.map(({ from }, i) => {
    const who = from ? ` && \\scriptsize\\text{${escaped(from)}}` : '';
    const sign = i === 0 ? '= ' : texts[i]!.startsWith('-') ? '' : '+ ';
    return `${i === 0 ? `${at(left, place)} &` : '& \\quad '}${sign}${texts[i]}${who}`;
  });
  if (rows.length > MOST_TERMS) rows.splice(MOST_TERMS - 2, rows.length - MOST_TERMS + 1, '& \\quad \\vdots');
  return aligned([...rows, `& = ${texts.at(-1)}`]);
}

/** `b_0: 1 + 1 + 1 + 1 = 4`: the elements of a gradient before a broadcast is folded back, added up. */
export function foldLatex(left: string, before: { shape: number[]; values: number[] }, after: Summary): string | null {
  const sums = foldedFrom(before, after);
  if (!sums) return null;
  const rows = sums.slice(0, MOST_ELEMENTS).flatMap((terms, flat) => {
    const place = after.shape.length > 0 ? unravel(flat, after.shape) : null;
    const shown = terms.length > MOST_FOLDED ? [...terms.slice(0, MOST_FOLDED - 2), null, terms.at(-1)!] : terms;
    const text = shown
      .map((term) => (term === null ? '\\dots' : numeral(term)))
      .join(' + ')
      .replaceAll('+ -', '- ');
    return [`${at(left, place)} &= ${text}`, `&= ${numeral(after.values[flat] as number)}`];
  });
  return aligned(sums.length > MOST_ELEMENTS ? [...rows, '& \\;\\vdots'] : rows);
}

/** The terms of each element of a folded gradient; null where they do not come to it. */
export function foldedFrom(
  { shape, values }: { shape: number[]; values: number[] },
  after: Summary,
): number[][] | null {
  const count = elementCount(after.shape);
  if (values.length !== elementCount(shape) || after.values.length !== count) return null;
  const lead = shape.length - after.shape.length;
  const terms: number[][] = Array.from({ length: count }, () => []);
  for (const [flat, value] of values.entries()) {
    const place = unravel(flat, shape).slice(lead);
    terms[ravel(place, after.shape)]!.push(value);
  }
  const fits = terms.every((some, i) => {
    const [sum, given] = [some.reduce((total, term) => total + term, 0), after.values[i]];
    const size = some.reduce((most, term) => Math.max(most, Math.abs(term)), 0);
    return typeof given === 'number' && Math.abs(sum - given) <= TOLERANCE * Math.max(size, Math.abs(given));
  });
  return fits ? terms : null;
}

/** `w ← w − 0.1 · w.grad` and its numbers; what was added where it was nothing as plain. */
export function updateLatex(
  name: string,
  { before, after, descent }: Update,
): { general: string; figures: string | null } {
  const self = nameLatex({ name, isVariable: true });
  const left = `${self} \\leftarrow`;
  if (descent) {
    const sign = descent.rate < 0 ? '+' : '-';
    const rate = numeral(Math.abs(descent.rate));
    const grad = nameLatex({ name: `${name}.grad`, isVariable: true });
    const found = figuresOf([before, descent.grad, after]);
    const [was = '', by = '', is = ''] = found?.texts ?? [];
    return {
      general: `${left} ${self} ${sign} ${rate} \\cdot ${grad}`,
      figures:
        found &&
        aligned([
          `${at(self, found.place)} & \\leftarrow ${was}`,
          `& \\quad ${sign} ${rate} \\cdot ${by.startsWith('-') ? `(${by})` : by}`,
          `& = ${is}`,
        ]),
    };
  }
  const change = difference(before, after);
  const found = change ? figuresOf([before, change, after]) : null;
  const [was = '', by = '', is = ''] = found?.texts ?? [];
  return {
    general: `${left} ${self} + \\Delta`,
    figures:
      found &&
      aligned([
        `${at(self, found.place)} & \\leftarrow ${was}`,
        `& \\quad ${by.startsWith('-') ? by : `+ ${by}`}`,
        `& = ${is}`,
      ]),
  };
}

function difference(before: Summary, after: Summary): Summary | null {
  const values: TensorElement[] = [];
  for (const [i, is] of after.values.entries()) {
    const was = before.values[i];
    if (typeof was !== 'number' || typeof is !== 'number') return null;
    values.push(is - was);
  }
  return { ...after, values };
}

/** All of some tensors of one shape where they are small, else the element of them that says most. */
function figuresOf(all: readonly Summary[]): Figures | null {
  const whole = all.map(matrix);
  if (whole.every((text) => text !== null)) return { texts: whole as string[], place: null };
  const last = all.at(-1)!;
  if (last.values.length === 0 || all.some(({ shape }) => shape.join() !== last.shape.join())) return null;
  const place = mostExtreme(last);
  const flat = ravel(place, last.shape);
  const texts = all.map(({ values }) => (values[flat] === undefined ? null : figure(values[flat])));
  return texts.every((text) => text !== null) ? { texts: texts as string[], place } : null;
}

/** A tensor as it is in a formula: a number, or a matrix of a few. */
export function matrix(summary: Summary): string | null {
  const { shape, values } = summary;
  if (shape.length === 0) return plain(summary);
  const columns = shape.at(-1)!;
  const rows = shape.length > 1 ? shape[0]! : 1;
  if (shape.length > 2 || rows > MOST_ROWS || columns > MOST_COLUMNS || values.length !== rows * columns) return null;
  const cells = values.map(figure);
  if (values.length === 0 || cells.includes(null)) return null;
  const lines = Array.from({ length: rows }, (_, row) => cells.slice(row * columns, (row + 1) * columns).join(' & '));
  return `\\begin{bmatrix} ${lines.join(' \\\\ ')} \\end{bmatrix}`;
}

/** What of tensors of one shape, or broadcast to it, is at a place. */
export function elementAt(place: readonly number[]): (summary: Summary | null) => string | null {
  return (summary) => {
    const at = summary && broadcastAt(place, summary.shape);
    return summary && at !== null ? elementFigure(summary, at) : null;
  };
}

/** A number as it is in a formula. */
export function numeral(value: number): string {
  return figure(value) ?? number(value);
}

/** A name, or an element of it. */
export function at(left: string, place: readonly number[] | null): string {
  return place ? `(${left})_{${place.join(',')}}` : left;
}

/** Rows of one formula, aligned at their `&`. */
export function aligned(rows: readonly string[]): string {
  return `\\begin{aligned} ${rows.join(' \\\\ ')} \\end{aligned}`;
}

function escaped(text: string): string {
  return text.replace(/[_%$#&{}]/g, '\\$&');
}
