// A backward formula in the reader's own names, and once more with the numbers of a run in it.

import { MEAN } from '../caption/effect';
import { elementCount } from '../facts/elements';
import { number } from '../format/number';
import type { Argument, Summary, TensorElement } from '../protocol/events';

/** The value that a name in a formula has. */
export type Binding = { name: string; isVariable: boolean; value: Summary | null };

const NAME = /\\text\{((?:[A-Za-z0-9]|\\?_)+)\}/g;
/** What an op multiplies its terms by: 1 where the program says nothing. */
const SCALE = /\\(alpha|beta)(?![A-Za-z])(?:\\, ?)?/g;
/** A lone g: no letter or backslash beside it, which leaves \frac{g}{2} but not \log. */
export const INCOMING = /(?<![A-Za-z\\])g(?![A-Za-z])/g;
const INCOMING_OR_NAME = new RegExp(`${INCOMING.source}|${NAME.source}`, 'g');

/** What is in a slot of an op goes by its variable, else by the slot: two results of one op would have one name. */
export function bindingOf(slot: string, variable: string | null, value: Summary | null): Binding {
  return { name: variable ?? slot, isVariable: variable !== null, value };
}

/** A name as it is in a formula: a variable in the code's type, anything else as words. */
export function nameLatex({ name, isVariable }: Pick<Binding, 'name' | 'isVariable'>): string {
  const escaped = name.replace(/[_%$#&{}]/g, '\\$&').replaceAll('^', '\\textasciicircum{}');
  return isVariable ? `\\mathtt{${escaped}}` : `\\text{${escaped}}`;
}

/** A scalar, or the single element of a tensor, as it is in a formula; null for anything larger. */
export function plain(summary: Summary | null): string | null {
  return summary?.values.length === 1 ? elementFigure(summary, 0) : null;
}

/** An element of a tensor as it is in a formula; null where it is not known, or complex. */
export function elementFigure({ values, dtype }: Summary, flat: number): string | null {
  const value = values[flat];
  if (value === undefined) return null;
  return dtype.endsWith('bool') ? `\\text{${value ? 'True' : 'False'}}` : figure(value);
}

/** An element as it is in a formula; null for a complex one. */
export function figure(value: TensorElement): string | null {
  if (Array.isArray(value)) return null;
  if (typeof value === 'number' && !Number.isFinite(value)) return figure(String(value) as TensorElement);
  if (typeof value === 'string') return value === 'NaN' ? '\\text{NaN}' : value.replace('Infinity', '\\infty');
  const text = number(value).replaceAll('−', '-');
  const [mantissa, exponent] = text.split('e');
  return exponent === undefined ? text : `${mantissa}\\times 10^{${Number(exponent)}}`;
}

/** A number in brackets where a sign or a power of ten begins or ends it. */
export function bracketed(text: string): string {
  return text.startsWith('-') || text.includes('times') ? `(${text})` : text;
}

const FRACTION = /\\frac\{((?:[^{}]|\{[^{}]*\})*)\}\{((?:[^{}]|\{[^{}]*\})*)\}/g;

/** The bounds between which a value has to be. */
const BOUNDS = /\\text\{(min)\} \\le | \\le \\text\{(max)\}/g;

/** What a variance is divided by, with brackets around it. */
const CORRECTED = /(\(?)n - \\text\{correction\}(\)?)/g;

/**
 * The formula as the op was asked for it: only the mean of losses is divided, without weights there is no w, and a variance without a
 * correction is divided by the count.
 */
function settled(rule: string, args: readonly Argument[]): string {
  const text = (name: string) => args.find((arg) => arg.name === name)?.text ?? null;
  // A bound that was not given bounds nothing.
  const bounded = rule.replace(BOUNDS, (whole, min?: string, max?: string) =>
    text(min ?? max ?? '') === 'None' ? '' : whole,
  );
  const correction = text('correction');
  const latex = bounded.replace(CORRECTED, (_, before: string, after: string) => {
    const taken = correction === null || correction === 'None' ? '1' : correction;
    if (Number(taken) === 0) return before && after ? 'n' : `${before}n${after}`;
    return `${before}n - ${taken.replace(/\.0$/, '')}${after}`;
  });
  const isMean = [null, MEAN].includes(text('reduction'));
  const whole = isMean
    ? latex
    : latex.replace(FRACTION, (_, above: string, below: string) => {
        const left = below.replace(/^(n|\\text\{total\\_weight\})$|^n\\, ?|\\, ?n$/, '');
        return left === '' ? above : `\\frac{${above}}{${left}}`;
      });
  // What is left of 1/n beside other factors is no factor.
  const product = isMean ? whole : whole.replace(/^(-?)1(\\, ?| )/, '$1');
  return text('weight') === 'None' ? product.replace(/w\\, ?(?=\()|\\, ?w(?![A-Za-z])/g, '') : product;
}

/** A rule with what is complex in it conjugated: a gradient is multiplied by the conjugate of the derivative. */
export function conjugated(latex: string, bindings: ReadonlyMap<string, Binding>): string {
  return latex.replace(NAME, (whole, escaped: string) => {
    const isComplex = bindings.get(escaped.replaceAll('\\', ''))?.value?.dtype.includes('complex');
    return isComplex ? `\\operatorname{conj}(${whole})` : whole;
  });
}

/** The formula with the reader's variable names, and the numbers of the program's text, in place of the arguments'. */
export function named(latex: string, bindings: ReadonlyMap<string, Binding>, args: readonly Argument[] = []): string {
  const scaled = settled(latex, args).replace(SCALE, (_, name: string) => {
    const scale = args.find((arg) => arg.name === name)?.text ?? '1';
    return scale === '1' ? '' : `${bracketed(scale)}\\,`;
  });
  return scaled.replace(NAME, (whole, escaped: string) => {
    const name = escaped.replaceAll('\\', '');
    const bound = bindings.get(name);
    if (bound) return nameLatex(bound);
    const text = args.find((arg) => arg.name === name)?.text ?? '';
    return /^-?[\d.e+-]+$/.test(text) ? bracketed(text) : whole;
  });
}

/** What of a value is in a formula; null where it cannot. */
export type Writing = (summary: Summary | null) => string | null;

/** How many elements went into each one of a result, or all that a loss is the mean of. */
function countOf(from: Summary | null, to: Summary | null, args: ReadonlyMap<string, string>): string | null {
  if (from && args.has('reduction')) return String(elementCount(from.shape));
  const share = from && to ? elementCount(from.shape) / elementCount(to.shape) : 0;
  return Number.isInteger(share) && share > 0 ? String(share) : null;
}

/** The formula with numbers in place of all names; null where one of them has none. */
export function numbered(
  latex: string,
  bindings: ReadonlyMap<string, Binding>,
  incoming: Summary | null,
  args: readonly Argument[],
  pick: Writing = plain,
): string | null {
  const g = pick(incoming);
  if (g === null) return null;
  const texts = new Map(args.filter((arg) => arg.text !== null).map((arg) => [arg.name, arg.text!]));
  let missing = false;
  const filled = named(latex, new Map(), args)
    // In one pass: a NaN that comes in is no name.
    .replace(INCOMING_OR_NAME, (whole, escaped: string | undefined) => {
      if (escaped === undefined) return bracketed(g);
      const name = escaped.replaceAll('\\', '');
      // What names no argument or result is a word of the formula, as the name of a function.
      if (name !== 'result' && !bindings.has(name) && !args.some((arg) => arg.name === name)) return whole;
      const found = pick(bindings.get(name)?.value ?? null) ?? texts.get(name);
      if (found === undefined) missing = true;
      return bracketed(found ?? name);
    })
    .replace(
      /(?<![A-Za-z\\])n(?![A-Za-z])/g,
      texts.get('exponent') ?? texts.get('n') ?? countOf(bindings.get('self')?.value ?? null, incoming, texts) ?? 'n',
    )
    .replace(/(?<![A-Za-z\\])y(?![A-Za-z])/g, pick(bindings.get('exponent')?.value ?? null) ?? 'y');
  // Numbers side by side would read as one.
  return missing ? null : filled.replace(/([\d)])\\, ?(?=[\d(])/g, '$1 \\cdot ');
}
