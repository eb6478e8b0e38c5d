// Many terms in little room: what is left out in their middle is there as its count and what it comes to.

import { number } from '../../format/number';
import { asShown } from '../sum-text';

/** A term as it is written, its number, and the number that a reader works out from what is written. */
export type Term = { text: string; value: number; shown: number };

/** Terms as they are written, with the number of each as it is read. */
export type Elided = { texts: string[]; shown: number[] };

/** Terms that are written out at the beginning and the end, in the order in which they are tried. */
const ENDS: readonly (readonly [number, number])[] = [
  [2, 2],
  [2, 1],
  [1, 1],
  [1, 0],
];

/** A term whose text is its number. */
export function termOf(value: number, text = number(value)): Term {
  return { text, value, shown: asShown(value) };
}

/**
 * The terms where they are at most `most`, then with fewer and fewer of them; one that is `kept` is always there.  `combine` says what
 * those come to that are left out.
 */
export function elided(
  terms: readonly Term[],
  combine: (numbers: readonly number[]) => number,
  most: number,
  kept: number | null = null,
): Elided[] {
  const all = { texts: terms.map(({ text }) => text), shown: terms.map(({ shown }) => shown) };
  const cuts = ENDS.filter(([first, last]) => first + last < terms.length - 1).map(([first, last]) => {
    const cut: Elided = { texts: [], shown: [] };
    let left: Term[] = [];
    const close = () => {
      if (left.length === 0) return;
      const value = combine(left.map((term) => term.value));
      cut.texts.push(left.length === 1 ? left[0]!.text : `(… ${left.length} terms: ${number(value)})`);
      cut.shown.push(left.length === 1 ? left[0]!.shown : asShown(value));
      left = [];
    };
    for (const [i, term] of terms.entries()) {
      if (i >= first && i < terms.length - last && i !== kept) {
        left.push(term);
        continue;
      }
      close();
      cut.texts.push(term.text);
      cut.shown.push(term.shown);
    }
    close();
    return cut;
  });
  const alone = kept === null ? [] : apart(terms, combine, kept);
  return terms.length <= most ? [all, ...cuts, ...alone] : cuts.length > 0 ? [...cuts, ...alone] : [all];
}

/** All terms as one. */
export function gathered(terms: readonly Term[], combine: (numbers: readonly number[]) => number): Elided {
  const value = combine(terms.map((term) => term.value));
  return { texts: [`(… ${terms.length} terms: ${number(value)})`], shown: [asShown(value)] };
}

/** One term, and all others by what they come to. */
function apart(terms: readonly Term[], combine: (numbers: readonly number[]) => number, kept: number): Elided[] {
  const others = terms.toSpliced(kept, 1);
  const own = terms[kept];
  if (!own || others.length < 2) return [];
  const value = combine(others.map((term) => term.value));
  return [{ texts: [own.text, `(… ${others.length} terms: ${number(value)})`], shown: [own.shown, asShown(value)] }];
}
