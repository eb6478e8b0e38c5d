// The sums of what a step makes of leaves: of a `.grad` that adds up, of parameters that an optimizer moves.

import type { Naming } from '../../caption/naming';
import { asOperand } from '../../caption/written-op';
import { ravel } from '../../facts/elements';
import { isolated } from '../../format/bidi';
import { element, gradient, number, shape, values } from '../../format/number';
import { CARD_CHARS, cutName } from '../../layout/size';
import { mostExtreme } from '../../origins/element-place';
import type { GradAccumulated, ParameterUpdate, Scalar, Summary, TensorElement } from '../../protocol/events';
import { isBad } from '../../protocol/finite';
import type { RunState } from '../../timeline/state';
import { type Update, updatesIn } from '../../timeline/updates';
import { bracketed, tidy } from '../forward-op';
import { lineText } from '../line-text';
import { asShown, fits, holds, isReadable, isShownAs, isWhole, MOST_CHARS, MOST_ELEMENTS, type Sum } from '../sum-text';
import { elementRule, type RuleLine } from './optimizer-rule';

/** The sums of a leaf, which goes by a name; the last one is what becomes of it. */
export type LeafSums = { tensor: number; name: string; tone: 'gradient' | 'forward' | 'error'; sums: readonly Sum[] };

/** The element of a leaf that the reader follows; null for none. */
export type FollowedLeaf = (tensor: number, node: number | null) => readonly number[] | null;

/** A tensor that is multiplied by a number in a sum. */
type Term = { factor: number; value: Summary };

/** A sum of multiples of tensors: `sign` is between its name and its terms, `open` is the same in names. */
type Combined = {
  name: string;
  sign: ':' | ' ←';
  terms: readonly Term[];
  total: Summary;
  write(texts: readonly string[]): string;
  open: string | null;
};

/** The sums of the leaves that a step changes; none where it changes none, or nothing is known of how. */
export function leafSums(state: RunState, naming: Naming, follow: FollowedLeaf = () => null): LeafSums[] {
  const grown = state.events.findLast((event) => event.kind === 'grad_accumulated');
  if (grown?.kind === 'grad_accumulated') return gradSums(grown, naming, follow(grown.tensor, grown.node));
  const stepped = state.events.find((event) => event.kind === 'optimizer_stepped');
  if (stepped?.kind !== 'optimizer_stepped') return [];
  const updates = updatesIn(state);
  return updates.flatMap((update) => {
    const { tensor } = update;
    const own = stepped.updates.find((one) => one.tensor === tensor);
    const name = naming.variable(tensor) ?? own?.name ?? naming.leaf(tensor);
    const sums = updateSums(name, update, own?.change ?? null, follow(tensor, null));
    // There is room for how it comes about at one place.
    const shown = updates.length === 1 ? sums : sums.slice(-1);
    return sums.length > 0 ? [{ tensor, name, tone: isBad(update.after) ? 'error' : 'forward', sums: shown }] : [];
  });
}

/** `x.grad: 3 + 4`, `7`; none for the first gradient, to which nothing is added. */
function gradSums(
  { tensor, before, added, after }: GradAccumulated,
  naming: Naming,
  place: readonly number[] | null,
): LeafSums[] {
  if (!before) return [];
  const terms = [before, added].map((value) => ({ factor: 1, value }));
  const write = (texts: readonly string[]) => texts.join(' + ');
  const sum = combined({ name: naming.grad(tensor), sign: ':', terms, total: after, write, open: null }, place);
  return sum ? [{ tensor, name: naming.leaf(tensor), tone: isBad(after) ? 'error' : 'gradient', sums: [sum] }] : [];
}

/** `w ← w − lr × w.grad`, `3 − 0.1 × 4`, `2.6`; of another rule what it remembers before that, of an unknown one what it added. */
function updateSums(
  name: string,
  update: Update,
  change: ParameterUpdate['change'],
  followed: readonly number[] | null,
): Sum[] {
  const { before, after, descent, stepped } = update;
  if (descent) {
    const { rate, grad } = descent;
    const sign = rate < 0 ? '+' : '−';
    const factor = number(Math.abs(rate));
    const terms = [
      { factor: 1, value: before },
      { factor: -Number(rate.toPrecision(4)), value: grad },
    ];
    const write = ([was, by]: readonly string[]) => `${was} ${sign} ${factor} × ${bracketed(by!)}`;
    const own = isolated(name);
    const open = `${own} ${sign} lr × ${own}.grad`;
    const sum = combined({ name, sign: ' ←', terms, total: after, write, open }, followed);
    return sum ? [sum] : [];
  }
  const place = isWhole(after) && after.values.length > 0 ? (followed ?? mostExtreme(stepped?.grad ?? after)) : null;
  const ruled = place && stepped ? ruleSums(name, update, place) : [];
  if (ruled.length > 0 || !change) return ruled;
  const terms = [before, change].map((value) => ({ factor: 1, value }));
  const write = (texts: readonly string[]) => texts.join(' + ');
  const sum = combined({ name, sign: ' ←', terms, total: after, write, open: null }, followed);
  return sum && sum.arrow === null ? [sum] : [];
}

/** `m ← 0.9 × 0.1 + 0.1 × 0.8`, `0.17` and the other lines of an optimizer's rule; none where the last one does not come to the value. */
function ruleSums(name: string, update: Update, place: readonly number[]): Sum[] {
  const rule = elementRule(name, update, place);
  if (!rule) return [];
  const sums = [...rule.lines, rule.last].map((line) => ruleSum(line, line === rule.last, name, place));
  return sums.at(-1) ? sums.filter((sum) => sum !== null) : [];
}

function ruleSum(line: RuleLine, isLast: boolean, name: string, place: readonly number[]): Sum | null {
  const { slot, figures, result } = line;
  if (result === null || !holds(figures.join(' '), result)) return null;
  // A parameter may be called as a rule calls what it remembers.
  const letter = lineText(line.name);
  const left = isLast ? placedName(name, place) : letter === name && slot !== null ? slot : letter;
  const [first = '', ...rest] = figures.map((one) =>
    tidy(` ${lineText(one)}`)
      .replace(/× (−[\d.e−]+)/g, '× ($1)')
      .replace(/√\(([\d.]+)\)/g, '√$1')
      .replace(/\^1(?!\d)/g, '')
      .trim(),
  );
  const begin = `${left} ${isLast || slot !== null ? '←' : '='} ${first}`;
  const whole = [begin, ...rest].join(' ');
  const end = number(result);
  if (!isReadable(whole) || (rest.length === 0 && first === end)) return null;
  return { parts: [whole, end], arrow: null, to: '', rows: [begin, ...rest, `= ${end}`] };
}

/** A combination with all elements, where they are few, else with the one that is followed or says most, else with norms. */
function combined(sum: Combined, followed: readonly number[] | null): Sum | null {
  const { name, sign, terms, total, open } = sum;
  const figuresOf = (texts: readonly string[]) => tidy(sum.write(texts.slice(0, -1).map(asOperand)));
  const all = [...terms.map(({ value }) => value), total];
  if (all.some((value) => value.shape.join() !== total.shape.join()) || total.values.length === 0) return null;
  const result = (parts: string[]) => ({ parts, arrow: null, to: '' });
  const count = total.values.length;
  const wholes = followed ? [null] : all.map((value) => values(value, MOST_ELEMENTS));
  if (!wholes.includes(null) && Array.from({ length: count }, (_, at) => at).every((at) => comesTo(sum, at))) {
    const texts = wholes as string[];
    const figures = figuresOf(texts);
    const led = [open, figures].filter((text) => text !== null);
    for (const first of led) {
      const parts = fits([`${shortName(name)}${sign} ${first}`, ...(first === open ? [figures] : []), texts.at(-1)!]);
      // Without its first part a sum has lost its name.
      if (parts && parts[0]!.startsWith(shortName(name) + sign)) return result(parts);
    }
  }
  // What changes says most, or what is broken.
  const place = followed ?? mostExtreme(isBad(total) ? total : terms.at(-1)!.value);
  const at = ravel([...place], total.shape);
  if (all.every(isWhole) && at < count && comesTo(sum, at)) {
    const texts = all.map(({ values, dtype }) => element(values[at]!, dtype));
    const text = `${placedName(name, place)}${sign} ${figuresOf(texts)}`;
    if ([...text].length <= MOST_CHARS) return result([text, texts.at(-1)!]);
  }
  const sizes = all.map((value) => gradient(value, 0));
  // Without norms only shapes are left; of one number there is no other form.
  if (total.shape.every((dim) => dim === 1) || sizes.some((size) => size.startsWith('['))) return null;
  const text = figuresOf(sizes);
  const dims = ` ${shape(total.shape)}`;
  return { parts: [`${shortName(name)}${dims}${sign} ${text}`], arrow: sizes.at(-1)!, to: '' };
}

/** Whether the numbers of an element come to the total as they are shown. */
function comesTo({ terms, total }: Combined, at: number): boolean {
  const parts = (held: TensorElement | undefined): readonly Scalar[] =>
    Array.isArray(held) ? (held as Scalar[]) : held === undefined ? [] : [held as Scalar];
  const given = parts(total.values[at]);
  const columns = terms.map(({ value }) => parts(value.values[at]).map(asShown));
  if (given.length === 0 || columns.some((column) => column.length !== given.length)) return false;
  return given.every((one, i) => {
    const shown = columns.map((column) => column[i]!);
    const sum = shown.reduce((so, own, term) => so + terms[term]!.factor * own, 0);
    return isShownAs(sum, Number(one), shown);
  });
}

function shortName(name: string): string {
  return isolated(cutName(name, CARD_CHARS));
}

function placedName(name: string, place: readonly number[]): string {
  return `${shortName(name)}${place.length > 0 ? shape(place) : ''}`;
}
