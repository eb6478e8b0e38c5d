// The sums of forward ops that mix elements: softmax, running sums, losses and normalizations, for one element of their result.

import { MEAN } from '../../caption/effect';
import { broadcastAt, elementCount, ravel, unravel } from '../../facts/elements';
import { number } from '../../format/number';
import type { Summary } from '../../protocol/events';
import { own } from '../../protocol/own';
import { type Applied, bracketed, textOf } from '../forward-op';
import { asShown, isWhole } from '../sum-text';
import { type Term, termOf } from './elision';

/** What an element is made of: terms that come to one number, and what is made of that. */
export type Mixed = {
  terms: readonly Term[];
  isProduct?: boolean;
  write(inner: string): string;
  /** The element from what the terms come to; with `read` each number is taken as it is shown. */
  make(total: number, read: (value: number) => number): number;
};

type Mixing = (applied: Applied, place: readonly number[]) => Mixed | null;

/** What a loss takes of an element and its target: how it is written, and what it is. */
type Loss = { write(a: string, b: string): string; of(a: number, b: number): number };

const exact = (value: number) => value;
const SUM = 2;

const MIXING: Readonly<Record<string, Mixing>> = {
  softmax,
  log_softmax: (applied, place) => logarithm(applied, place, true),
  logsumexp: (applied, place) => logarithm(applied, place, false),
  cumsum: (applied, place) => running(applied, place, false),
  cumprod: (applied, place) => running(applied, place, true),
  nll_loss: likelihood,
  native_layer_norm: layerNorm,
  native_group_norm: groupNorm,
  native_batch_norm: batchNorm,
};

const SQUARE: Loss = { write: (a, b) => `(${bare(a)} − ${b})²`, of: (a, b) => (a - b) ** 2 };
const DISTANCE: Loss = { write: (a, b) => `|${bare(a)} − ${b}|`, of: (a, b) => Math.abs(a - b) };
/** The loss of an element by its distance from the target, and by that target. */
const LOSSES: Readonly<Record<string, (target: number, distance: number, limit: number) => Loss>> = {
  mse_loss: () => SQUARE,
  l1_loss: () => DISTANCE,
  smooth_l1_loss: (_, distance, limit) =>
    distance < limit
      ? {
          write: (a, b) => `0.5 × ${SQUARE.write(a, b)} / ${number(limit)}`,
          of: (a, b) => (0.5 * (a - b) ** 2) / limit,
        }
      : {
          write: (a, b) => `(${DISTANCE.write(a, b)} − ${number(limit / 2)})`,
          of: (a, b) => DISTANCE.of(a, b) - limit / 2,
        },
  huber_loss: (_, distance, limit) =>
    distance < limit
      ? { write: (a, b) => `0.5 × ${SQUARE.write(a, b)}`, of: (a, b) => 0.5 * (a - b) ** 2 }
      : {
          write: (a, b) => `${number(limit)} × (${DISTANCE.write(a, b)} − ${number(limit / 2)})`,
          of: (a, b) => limit * (DISTANCE.of(a, b) - limit / 2),
        },
  soft_margin_loss: () => ({
    write: (a, b) => `ln(1 + exp(−${b} × ${a}))`,
    of: (a, b) => Math.log1p(Math.exp(-b * a)),
  }),
  binary_cross_entropy: (target) => {
    if (target === 1) return { write: (a) => `(−ln(${bare(a)}))`, of: (a) => -Math.log(a) };
    if (target === 0) return { write: (a) => `(−ln(1 − ${a}))`, of: (a) => -Math.log(1 - a) };
    return {
      write: (a, b) => `(−${b} × ln(${bare(a)}) − (1 − ${b}) × ln(1 − ${a}))`,
      of: (a, b) => -b * Math.log(a) - (1 - b) * Math.log(1 - a),
    };
  },
  binary_cross_entropy_with_logits: (target) => {
    if (target === 1) return { write: (a) => `ln(1 + exp(−${a}))`, of: (a) => Math.log1p(Math.exp(-a)) };
    if (target === 0) return { write: (a) => `ln(1 + exp(${bare(a)}))`, of: (a) => Math.log1p(Math.exp(a)) };
    return {
      write: (a, b) => `(1 − ${b}) × ${a} + ln(1 + exp(−${a}))`,
      of: (a, b) => (1 - b) * a + Math.log1p(Math.exp(-a)),
    };
  },
};

/** What an element of the result of an op is made of; null where the op is none of these, or the log lacks its numbers. */
export function mixedAt(applied: Applied, place: readonly number[]): Mixed | null {
  const lossOf = own(LOSSES, applied.op);
  return lossOf ? loss(applied, place, lossOf) : (own(MIXING, applied.op)?.(applied, place) ?? null);
}

function argument({ event }: Applied, name: string): string | null {
  const found = event.inputs.find((input) => input.name === name);
  return found?.tensor != null ? 'tensor' : (found?.text ?? null);
}

/** The value of an argument that is a tensor. */
function tensorOf({ event, inputs }: Applied, name: string): Summary | null {
  return inputs[event.inputs.findIndex((input) => input.name === name)] ?? null;
}

/** All numbers of a tensor; null where the log lacks some, or they are complex. */
function numbersIn(value: Summary | null): number[] | null {
  return value && isWhole(value) && !value.values.some(Array.isArray) ? value.values.map(Number) : null;
}

/** The elements of an input along the dim of its op, and which of them is at the place. */
function lineAt(applied: Applied, place: readonly number[], isKept: boolean): { line: number[]; nr: number } | null {
  const held = tensorOf(applied, 'self');
  const numbers = numbersIn(held);
  const dims = [...(textOf(applied.event, 'dim') ?? '').matchAll(/-?\d+/g)].map(([dim]) => Number(dim));
  if (!held || !numbers || dims.length !== 1 || held.shape.length === 0) return null;
  const dim = dims[0]! < 0 ? dims[0]! + held.shape.length : dims[0]!;
  const size = held.shape[dim];
  if (size === undefined) return null;
  const full = isKept || place.length === held.shape.length ? [...place] : place.toSpliced(dim, 0, 0);
  const line = Array.from({ length: size }, (_, at) => numbers[ravel(full.with(dim, at), held.shape)]!);
  return { line, nr: full[dim]! };
}

function exponentials(line: readonly number[]): Term[] {
  return line.map((value) => ({
    text: `exp(${number(value)})`,
    value: Math.exp(value),
    shown: Math.exp(asShown(value)),
  }));
}

function softmax(applied: Applied, place: readonly number[]): Mixed | null {
  const found = lineAt(applied, place, true);
  if (!found) return null;
  const own = found.line[found.nr]!;
  return {
    terms: exponentials(found.line),
    write: (inner) => `exp(${number(own)}) / (${inner})`,
    make: (total, read) => Math.exp(read(own)) / total,
  };
}

function logarithm(applied: Applied, place: readonly number[], isTaken: boolean): Mixed | null {
  const found = lineAt(applied, place, isTaken);
  if (!found) return null;
  const own = found.line[found.nr]!;
  return {
    terms: exponentials(found.line),
    write: (inner) => `${isTaken ? `${number(own)} − ` : ''}ln(${inner})`,
    make: (total, read) => (isTaken ? read(own) - Math.log(total) : Math.log(total)),
  };
}

function running(applied: Applied, place: readonly number[], isProduct: boolean): Mixed | null {
  const found = lineAt(applied, place, true);
  if (!found) return null;
  const terms = found.line
    .slice(0, found.nr + 1)
    .map((value) => termOf(value, isProduct ? bracketed(number(value)) : number(value)));
  return { terms, isProduct, write: (inner) => inner, make: (total) => total };
}

function loss(applied: Applied, place: readonly number[], lossOf: (typeof LOSSES)[string]): Mixed | null {
  const isWeighted = ['weight', 'pos_weight'].some((name) => ![null, 'None'].includes(argument(applied, name)));
  const limit = Number(textOf(applied.event, 'limit') ?? 1);
  const { output } = applied;
  const [self, target] = [tensorOf(applied, 'self'), tensorOf(applied, 'target')];
  const reduction = textOf(applied.event, 'reduction') ?? MEAN;
  if (isWeighted || !self || !target || !numbersIn(self) || !numbersIn(target)) return null;
  const isEach = output.shape.length > 0;
  const dims = isEach ? output.shape : self.shape.length >= target.shape.length ? self.shape : target.shape;
  const places = isEach ? [place] : Array.from({ length: elementCount(dims) }, (_, flat) => unravel(flat, dims));
  const terms = places.map((one) => {
    const [a, b] = [self, target].map((value) => Number(value.values[broadcastAt(one, value.shape) ?? -1]));
    const made = lossOf(b!, Math.abs(a! - b!), limit);
    const [textA, textB] = [a!, b!].map((value) => bracketed(number(value)));
    return { text: made.write(textA!, textB!), value: made.of(a!, b!), shown: made.of(asShown(a!), asShown(b!)) };
  });
  if (terms.length === 0) return null;
  return shared(terms, isEach || reduction === String(SUM) ? 1 : terms.length);
}

/** Terms, of which a mean divides the sum by a count. */
function shared(terms: readonly Term[], count: number): Mixed {
  return {
    terms,
    write: (inner) => (count === 1 ? inner : `(${inner}) / ${number(count)}`),
    make: (total) => total / count,
  };
}

function likelihood(applied: Applied, place: readonly number[]): Mixed | null {
  const { event, output } = applied;
  const [self, target] = [tensorOf(applied, 'self'), tensorOf(applied, 'target')];
  const [scores, classes] = [numbersIn(self), numbersIn(target)];
  if (!self || !scores || !classes || argument(applied, 'weight') !== 'None') return null;
  const wide = self.shape.at(-1)!;
  const ignored = Number(textOf(event, 'ignore_index') ?? Number.NaN);
  const rows = output.shape.length > 0 ? [place[0]!] : classes.map((_, row) => row);
  const used = rows.filter((row) => classes[row] !== ignored);
  const terms = used.map((row) => {
    const value = -scores[row * wide + classes[row]!]!;
    return termOf(value === 0 ? 0 : value, bracketed(number(value)));
  });
  if (terms.length === 0) return null;
  const isMean = output.shape.length === 0 && (textOf(event, 'reduction') ?? MEAN) === MEAN;
  return shared(terms, isMean ? terms.length : 1);
}

/** `(x − mean) × 1/σ × w + b` of an element, with the place of its mean, and of its weight and bias. */
function scaled(
  applied: Applied,
  place: readonly number[],
  [mean, spread]: readonly [number, Spread],
  channel: (of: Summary) => number,
): Mixed | null {
  const input = tensorOf(applied, 'input');
  const values = numbersIn(input);
  if (!input || !values || Number.isNaN(mean)) return null;
  const x = values[ravel([...place], input.shape)]!;
  const [weight, bias] = ['weight', 'bias'].map((name) => {
    const held = tensorOf(applied, name);
    return held ? (numbersIn(held)?.[channel(held)] ?? Number.NaN) : null;
  });
  const text = (value: number) => bracketed(number(value));
  const factor = weight == null ? '' : ` × ${text(weight)}`;
  const added = bias == null ? '' : ` + ${number(bias)}`;
  const whole = `(${number(x)} − ${text(mean)})${spread.text}${factor}${added}`;
  const of = (read: (value: number) => number) =>
    (read(x) - read(mean)) * spread.of(read) * (weight == null ? 1 : read(weight)) + (bias == null ? 0 : read(bias));
  return {
    terms: [{ text: whole, value: of(exact), shown: of(asShown) }],
    write: (inner) => inner,
    make: (total) => total,
  };
}

/** What a normalized number is multiplied by. */
type Spread = { text: string; of(read: (value: number) => number): number };

/** The mean and the inverse deviation that an op gave beside its result. */
function given({ event }: Applied, at: (of: Summary) => number): [number, Spread] {
  const [mean = Number.NaN, inverse = Number.NaN] = event.outputs
    .slice(1, 3)
    .map(({ value }) => Number(value.values[at(value)] ?? Number.NaN));
  return [mean, { text: ` × ${number(inverse)}`, of: (read) => read(inverse) }];
}

function layerNorm(applied: Applied, place: readonly number[]): Mixed | null {
  const at = (of: Summary) => broadcastAt(place, of.shape) ?? -1;
  return scaled(applied, place, given(applied, at), at);
}

function groupNorm(applied: Applied, place: readonly number[]): Mixed | null {
  const [channels, groups] = ['C', 'group'].map((name) => Number(textOf(applied.event, name)));
  const group = Math.floor(place[1]! / (channels! / groups!));
  return scaled(
    applied,
    place,
    given(applied, ({ shape }) => ravel([place[0]!, group], shape)),
    () => place[1]!,
  );
}

function batchNorm(applied: Applied, place: readonly number[]): Mixed | null {
  const channel = () => place[1]!;
  if (textOf(applied.event, 'training') === 'True') return scaled(applied, place, given(applied, channel), channel);
  const [mean, variance] = ['running_mean', 'running_var'].map(
    (name) => numbersIn(tensorOf(applied, name))?.[channel()] ?? Number.NaN,
  );
  const eps = Number(textOf(applied.event, 'eps'));
  const spread = {
    text: ` / √(${number(variance!)} + ${number(eps)})`,
    of: (read: (value: number) => number) => 1 / Math.sqrt(read(variance!) + eps),
  };
  return scaled(applied, place, [mean!, spread], channel);
}

/** A number without its brackets. */
function bare(text: string): string {
  return text.replace(/^\((.*)\)$/, '$1');
}
