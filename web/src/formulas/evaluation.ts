// Evaluates a formula of numbers: it is shown only where it comes to the value that the engine gave.

import { own } from '../protocol/own';

const TOKEN =
  /\\frac|\\tfrac|\\cdot|\\times|\\(?:ln|log|exp|sqrt|sin|cos|tan|sinh|cosh|tanh|sigma|Phi|varphi|pi|infty|geq?|leq?|neq?|lnot|min|lVert|rVert)(?![A-Za-z])|\\operatorname\{(?:sign|trunc|conj)\}|\\text\{(?:NaN|True|False)\}|\\[lr]floor|\\mathbf\{1\}|\d+(?:\.\d*)?(?:e[+-]?\d+)?|[-+/^{}()[\]<>=?:|,e]/y;
const SPACE = /(?:\s|\\[,; ]|\\(?:textstyle|displaystyle|left|right|big)(?![A-Za-z]))*/y;

const FUNCTIONS: Readonly<Record<string, (of: number) => number>> = {
  '\\ln': Math.log,
  '\\log': Math.log,
  '\\exp': Math.exp,
  '\\sqrt': Math.sqrt,
  '\\sin': Math.sin,
  '\\cos': Math.cos,
  '\\tan': Math.tan,
  '\\sinh': Math.sinh,
  '\\cosh': Math.cosh,
  '\\tanh': Math.tanh,
  '\\operatorname{sign}': Math.sign,
  '\\operatorname{trunc}': Math.trunc,
  '\\operatorname{conj}': (of) => of,
  '\\lnot': (of) => Number(!of),
  '\\varphi': density,
  '\\Phi': share,
  '\\sigma': (of) => 1 / (1 + Math.exp(-of)),
};
const CONSTANTS: Readonly<Record<string, number>> = {
  e: Math.E,
  '\\pi': Math.PI,
  '\\infty': Number.POSITIVE_INFINITY,
  '\\text{NaN}': Number.NaN,
  '\\text{True}': 1,
  '\\text{False}': 0,
  '\\mathbf{1}': 1,
};
const COMPARISONS: Readonly<Record<string, (one: number, other: number) => boolean>> = {
  '<': (one, other) => one < other,
  '>': (one, other) => one > other,
  '=': (one, other) => one === other,
  '\\le': (one, other) => one <= other,
  '\\leq': (one, other) => one <= other,
  '\\ge': (one, other) => one >= other,
  '\\geq': (one, other) => one >= other,
  '\\ne': (one, other) => one !== other,
  '\\neq': (one, other) => one !== other,
};
const CLOSING: Readonly<Record<string, string>> = {
  '(': ')',
  '[': ']',
  '{': '}',
  '|': '|',
  '\\lVert': '\\rVert',
  '\\lfloor': '\\rfloor',
};

/** A formula that ends with what a letter in it is: `2 t, t = 3`. */
const DEFINED = /^(.*),\\ ([a-z]) = (.*)$/;

/** Returns whether a formula ends with what a letter in it is. */
export function isDefining(latex: string): boolean {
  return DEFINED.test(latex);
}

/** A formula of numbers with the number that a letter in it is in place of the letter; null where that is no number. */
export function inlined(latex: string, write: (value: number) => string): string | null {
  const [, formula, letter, meaning] = DEFINED.exec(latex) ?? [];
  if (formula === undefined) return latex;
  const value = evaluated(meaning!);
  if (value === null) return null;
  const text = value < 0 ? `(${write(value)})` : write(value);
  return formula.replace(new RegExp(`(?<![A-Za-z\\\\])${letter}(?![A-Za-z])`, 'g'), text);
}

/** The number that LaTeX of numbers alone comes to; null where a part of it is no arithmetic. */
export function evaluated(latex: string): number | null {
  const tokens = tokensOf(inlined(latex, String) ?? '?');
  if (!tokens) return null;
  let at = 0;
  let failed = false;
  const take = (token: string) => tokens[at] === token && ++at > 0;

  function choice(): number {
    let value = sum();
    // A chain of comparisons, as in a < x < b.
    let holds: boolean | null = null;
    for (let compare = own(COMPARISONS, tokens![at] ?? ''); compare; compare = own(COMPARISONS, tokens![at] ?? '')) {
      at += 1;
      const next = sum();
      holds = (holds ?? true) && compare(value, next);
      value = next;
    }
    if (holds !== null) value = Number(holds);
    if (!take('?')) return value;
    const yes = choice();
    if (!take(':')) failed = true;
    const no = choice();
    return value ? yes : no;
  }
  function sum(): number {
    let value = product();
    for (;;) {
      if (take('+')) value += product();
      else if (take('-')) value -= product();
      else return value;
    }
  }
  function product(): number {
    let value = signed();
    for (;;) {
      if (take('\\cdot') || take('\\times')) value *= signed();
      else if (take('/')) value /= signed();
      else if (begins(tokens![at])) value *= power();
      else return value;
    }
  }
  function signed(): number {
    if (take('-')) return -signed();
    return power();
  }
  function power(): number {
    const base = atom();
    return take('^') ? base ** (tokens![at] === '{' ? atom() : signed()) : base;
  }
  function atom(): number {
    const token = tokens![at++];
    if (token === undefined) failed = true;
    else if (token === '\\frac') return atom() / atom();
    else if (token === '\\tfrac' && take('12')) return 0.5;
    else if (Object.hasOwn(CLOSING, token)) {
      const value = choice();
      if (!take(CLOSING[token]!)) failed = true;
      if (token === '\\lfloor') return Math.floor(value);
      return token === '|' || token === '\\lVert' ? Math.abs(value) : value;
    } else if (token === '\\min' && take('(')) {
      const one = choice();
      if (!take(',')) failed = true;
      const other = choice();
      if (!take(')')) failed = true;
      return Math.min(one, other);
    } else if (Object.hasOwn(FUNCTIONS, token)) return FUNCTIONS[token]!(power());
    else if (Object.hasOwn(CONSTANTS, token)) return CONSTANTS[token]!;
    else if (/^\d/.test(token)) return Number(token);
    failed = true;
    return Number.NaN;
  }

  const value = choice();
  return failed || at < tokens.length ? null : value;
}

/** The density of the normal distribution. */
function density(at: number): number {
  return Math.exp(-(at ** 2) / 2) / Math.sqrt(2 * Math.PI);
}

/**
 * The share of the normal distribution below a number, to seven digits.
 * Source: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.2.17.
 */
function share(below: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(below));
  const series = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const beyond = density(below) * series;
  return below < 0 ? beyond : 1 - beyond;
}

/** Whether a factor without a sign before it begins here. */
function begins(token: string | undefined): boolean {
  if (token === undefined || token === '|') return false;
  return /^[\d({[]|^\\t?frac$/.test(token) || Object.hasOwn(FUNCTIONS, token) || Object.hasOwn(CONSTANTS, token);
}

function tokensOf(latex: string): string[] | null {
  const made: string[] = [];
  for (let at = 0; ; ) {
    SPACE.lastIndex = at;
    at += SPACE.exec(latex)![0].length;
    if (at === latex.length) return made;
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(latex);
    if (!found) return null;
    made.push(found[0]);
    at += found[0].length;
  }
}
