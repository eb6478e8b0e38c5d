// The texts that sums are made of: parts that are equal to each other, and what a part leads to where it is no equal number.

import { elementCount } from '../facts/elements';
import { gradient, number, shape, values } from '../format/number';
import type { Scalar, Summary } from '../protocol/events';
import { evaluated } from './evaluation';

/**
 * `parts` are equal to each other; an `arrow` leads from them to what is not an equal number; `to` is what gets the result.  `rows` are
 * the same in pieces, for where it is long.
 */
export type Sum = { parts: string[]; arrow: string | null; to: string; rows?: readonly string[] };

export const MOST_CHARS = 48;
/** A rule alone, without numbers after it, has a few more. */
export const MOST_RULE = 54;
/** Elements of a tensor are written out up to so many characters. */
export const MOST_ELEMENTS = 14;
/** What is only a part of a text has fewer. */
export const MOST_SIZED = 8;
/** Numbers are shown with four digits: an equation of them holds up to this share. */
const DIGITS = 5e-3;
/** The first of the code points that belong to no script. */
const FIRST_MARK = 0xe000;
const NUMBER = /\d+(?:\.\d+)?(?:e-?\d+)?/g;

/** Signs that stand for texts while a formula is made: nothing of a name is taken for a part of the formula. */
export class Marks {
  readonly #texts: { name: string; dims: readonly number[] | null }[] = [];

  /** A sign for a name, with the shape that is written after it. */
  of(name: string, dims: readonly number[] | null = null): string {
    return String.fromCodePoint(FIRST_MARK + this.#texts.push({ name, dims }) - 1);
  }

  /** The text with the names in it, each with its shape, which a sign may transpose, and a sign between factors. */
  filled(text: string): string {
    return text
      .replace(/([\ue000-\uf8ff][ᵀᴴ]?) (?=[\ue000-\uf8ff])/g, '$1 · ')
      .replace(
        /(Σ\([^()]*\)|[\d)]) (?=[\ue000-\uf8ff])/g,
        (_, left: string) => `${left}${left.startsWith('Σ') ? ' ' : ' × '}`,
      )
      .replace(/([\ue000-\uf8ff])([ᵀᴴ]?)/g, (whole, mark: string, sign: string) => {
        const known = this.#texts[mark.codePointAt(0)! - FIRST_MARK];
        if (!known) return whole;
        const dims = known.dims && (sign ? known.dims.toReversed() : known.dims);
        return `${known.name}${sign}${dims ? ` ${shape(dims)}` : ''}`;
      });
  }
}

/** Whether nothing of LaTeX is left in a line. */
export function isReadable(text: string): boolean {
  return !/[\\{}&]/.test(text);
}

/** What an element comes to, after its place where there are several. */
export function placed(place: readonly number[], sum: string, result: string, most = MOST_CHARS): string[] | null {
  const at = place.length > 0 ? `[${place.join(', ')}]: ` : '';
  return fits(sum === result ? [`${at}${result}`] : [`${at}${sum}`, result], most);
}

/** The parts without the first of them, where they are too long with them; null where they still are. */
export function fits(parts: string[], most = MOST_CHARS): string[] | null {
  const whole = parts.join(' = ');
  if (!isReadable(whole)) return null;
  if ([...whole].length <= most) return parts;
  return parts.length > 2 ? fits(parts.slice(1), most) : null;
}

/** Whether a formula of numbers as it is shown comes to a result as it is shown. */
export function holds(filled: string, given: number): boolean {
  const value = evaluated(filled);
  if (value === null) return false;
  return isShownAs(
    value,
    given,
    [...filled.matchAll(NUMBER)].map(([digits]) => Number(digits)),
  );
}

/** A number as a reader takes it from what is shown of it. */
export function asShown(value: Scalar): number {
  return Number(number(value).replaceAll('−', '-').replace('Inf', 'Infinity'));
}

/** Returns whether a value computed from the shown numbers is the given one, to four digits. */
export function isShownAs(value: number, given: number, shown: readonly number[]): boolean {
  if (Object.is(value, given) || value === given) return true;
  if (!Number.isFinite(value) || !Number.isFinite(given)) return false;
  const largest = Math.max(0, ...shown.map(Math.abs).filter(Number.isFinite));
  return Math.abs(value - given) <= DIGITS * Math.abs(given === 0 ? largest / 10 : given);
}

/** Whether the log has all elements of a tensor. */
export function isWhole({ shape, values }: Summary): boolean {
  return values.length === elementCount(shape);
}

/** A gradient by its elements where they are few, else by its norm; with its shape where that says more. */
export function sized(value: Summary, withShape: boolean): string {
  const elements = values(value, MOST_SIZED);
  if (elements !== null) return elements;
  return withShape ? `${shape(value.shape)} ${gradient(value, 0)}` : gradient(value, 0);
}
