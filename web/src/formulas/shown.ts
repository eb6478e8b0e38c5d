// Evaluates the lines of sums as they are shown, and compares them with the events that they are made from. For tests only.

import { ravel } from '../facts/elements';
import { element, gradient, number, values } from '../format/number';
import type { Summary } from '../protocol/events';
import { ROW_ON, type StepSum } from '../scene/parts/parts';
import { evaluated } from './evaluation';

const SIGNS: readonly [RegExp, string][] = [
  [/−/g, '-'],
  [/×/g, '\\cdot '],
  [/÷/g, '/ '],
  [/∞/g, '\\infty '],
  [/\bNaN\b/g, '\\text{NaN}'],
  [/\b(True|False)\b/g, '\\text{$1}'],
  [/\bnot /g, '\\lnot '],
  [/[⁰¹²³⁴-⁹]/g, '^$&'],
  [/½/g, '0.5'],
  [/√/g, '\\sqrt '],
  [/π/g, '\\pi '],
  [/σ/g, '\\sigma '],
  [/Φ/g, '\\Phi '],
  [/φ/g, '\\varphi '],
  [/≠/g, '\\ne '],
  [/≥/g, '\\ge '],
  [/≤/g, '\\le '],
  [/⌊/g, '\\lfloor '],
  [/⌋/g, '\\rfloor '],
  [/\b(ln|log|exp|sin|cos|tan|sinh|cosh|tanh|min)\b/g, '\\$1 '],
  [/\b(sign|trunc|conj)\b/g, '\\operatorname{$1}'],
];
const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';
/** The relative error that is allowed: shown numbers have four digits, and a few of them are multiplied. */
const DIGITS = 5e-3;

/** The number that a text comes to; null where it has something in it that is no number. */
function numberIn(text: string): number | null {
  // What is left out of many terms is there as what it comes to.
  let latex = text.replace(/\(… \d+ terms: ([^()]+)\)/g, '($1)');
  for (const [from, to] of SIGNS) latex = latex.replace(from, to);
  latex = latex.replace(
    /\^(.)/g,
    (_, digit: string) => `^${SUPERSCRIPTS.includes(digit) ? SUPERSCRIPTS.indexOf(digit) : digit}`,
  );
  return evaluated(latex);
}

/** The text with one element of each tensor that is written out in it. */
function elementIn(text: string, at: number): string {
  return text.replace(/\[([^[\]]*,[^[\]]*)\]/g, (_, all: string) => `(${all.split(', ')[at]})`);
}

/** Says what is wrong with a line of a sum that gave some results, null where nothing is, and counts its evaluated parts. */
export function checked(text: string, results: readonly Summary[]): { wrong: string | null; compared: number } {
  const right = { wrong: null, compared: 0 };
  if (text.startsWith('…')) return right;
  const [, place, sum] = /^(?:\[([\d, ]+)\]: )?(.*)$/.exec(text)!;
  const arrow = / → (?!.*→)(.*)$/.exec(sum!)?.[1] ?? '';
  const parts = sum!.replace(/ → (?!.*→).*$/, '').split(/ = (?![^[(]*[\])])/);
  const last = parts.at(-1)!;
  const indices = place?.split(', ').map(Number);
  const written = results.flatMap((value) => {
    const flat = indices && indices.length === value.shape.length ? ravel(indices, value.shape) : 0;
    const one = value.values[flat];
    const isSingle = (place ? indices?.length === value.shape.length : value.values.length === 1) && one !== undefined;
    const texts = [values(value, 14), gradient(value, 0), isSingle ? element(one, value.dtype) : null];
    return texts.flatMap((written) => (written === null ? [] : [{ text: written, value, flat: place ? flat : null }]));
  });
  const ends = written.filter((one) => one.text === last.replace('∞', 'Inf'));
  const sizes = results.flatMap((value) => [values(value, 8) ?? gradient(value, 0)]);
  if (ends.length === 0 && !sizes.some((size) => arrow.endsWith(size)))
    return { ...right, wrong: `${text} ≠ ${sizes.join()}` };
  if (ends.length === 0 || last.includes('‖')) {
    // The norm of a multiple is the multiple of the norm.
    const [scaled, norm] = [numberIn(last.replace(/‖([\d.e−]+)‖/, '$1')), /‖([\d.e]+)‖$/.exec(arrow)?.[1]];
    const isOff =
      norm !== undefined && scaled !== null && /^[^[]*‖[^[]*$/.test(last) && !isNear(Math.abs(scaled), Number(norm));
    return isOff ? { ...right, wrong: `${text} ≠ ${number(scaled)}` } : right;
  }
  const found = ends.map((end) => compared(parts, end.value, end.flat)).filter((count) => typeof count === 'number');
  return found.length > 0
    ? { wrong: null, compared: Math.max(...found) }
    : { ...right, wrong: `${text}: ${ends.map((end) => compared(parts, end.value, end.flat)).join('; ')}` };
}

/** The lines of a sum, each in one row. */
export function joined(lines: StepSum['lines']): string[] {
  return lines
    .map((line) => line.at(-1)!)
    .join('\n')
    .replaceAll(`\n${ROW_ON}`, ' ')
    .split('\n')
    .filter((line) => line !== '');
}

/** The same for a line of what becomes of a leaf, whose result is its last part. */
export function checkedLeaf(line: string): { wrong: string | null; compared: number } {
  const [, sum = ''] = /^.*?(?::| ←| =) (.*)$/.exec(line) ?? [];
  const parts = line.includes('→') ? [] : sum.split(' = ');
  const last = parts.at(-1) ?? '';
  const own = (text: string, at: number) => numberIn(elementIn(text, at));
  let count = 0;
  for (const [i, part] of parts.slice(0, -1).entries()) {
    // First come the names, where there is room.
    if (i === 0 && parts.length > 2) continue;
    for (let at = 0; at < last.split(', ').length; at += 1) {
      const [one, other] = [own(part, at), own(last, at)];
      if (/\di\b/.test(last)) continue;
      if (one === null || other === null || !isNear(one, other))
        return { wrong: `${line}: ${one} ≠ ${other}`, compared: 0 };
      count += 1;
    }
  }
  return { wrong: null, compared: count };
}

function isNear(one: number, other: number): boolean {
  return Object.is(one, other) || one === other || Math.abs(one - other) <= DIGITS * Math.abs(other);
}

/** How many parts come to a result; what is wrong where one of them does not. */
function compared(parts: readonly string[], value: Summary, flat: number | null): number | string {
  let count = 0;
  // Before the numbers, a sum may name what they are of, and name what it leaves out.
  for (const [i, part] of parts.slice(0, -1).entries()) {
    for (let at = 0; at < (flat === null ? value.values.length : 1); at += 1) {
      const own = numberIn(elementIn(part, at));
      const given = Number(value.values[flat ?? at]);
      if (own === null) {
        if (
          part.replace(/\(… \d+ terms: /g, '').includes('…') ||
          (i === 0 && parts.length > 2) ||
          // An element of a tensor by its name.
          /^[A-Za-z_(].*\[[\d, ]*\]$/.test(part) ||
          /[A-Za-z_]{2,}|[a-z]$|[a-z]\d\(|\di\b| \/\/ | % /.test(part)
        )
          continue;
        return `${part} = ?`;
      }
      if (!isNear(own, given)) return `${part} = ${number(own)} ≠ ${number(given)}`;
      count += 1;
    }
  }
  return count;
}
