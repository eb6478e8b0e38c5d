// An optimizer's own rule with the numbers of a step: Adam, AdamW and RMSprop, for one element of a parameter.

import { ravel } from '../../facts/elements';
import { aligned, at, numeral } from '../../formulas/arithmetic';
import { nameLatex } from '../../formulas/formula';
import type { Summary } from '../../protocol/events';
import type { Stepped, Update } from '../../timeline/updates';

/** The rule, and the same with the numbers of an element: a formula for what it remembers, one for the parameter. */
export type RuleLatex = { general: string[]; figures: string[] };

/** What of a step is read: the element, and the options of its group. */
type Reading = {
  self: string;
  place: readonly number[] | null;
  near: (one: number, other: number, ...sizes: number[]) => boolean;
  option: (name: string) => number;
  isOn: (name: string) => boolean;
  rate: number;
  was: number;
  is: number;
  grad: number;
  held: (name: string) => number;
  /** What it remembered before: nothing at the first step; NaN where that is not known. */
  before: (name: string) => number;
  step: number;
  stepped: Stepped;
};

/** Lines of what a rule remembers, and what is taken off the parameter; null where the numbers do not come to the value in the log. */
type Rule = (
  reading: Reading,
) => { general: string[]; figures: string[]; off: [string, string]; by: number; from: number } | null;

/** Between two fractions. */
const APART = ' \\\\[6pt] ';

const RULES: Readonly<Record<string, Rule>> = { Adam: adam, AdamW: adam, RMSprop: rmsprop };

/** The rule of the optimizer that made an update, for the element at `place`; null where it is another, or the numbers do not come to it. */
export function ruleLatex(name: string, update: Update, place: readonly number[] | null): RuleLatex | null {
  const { stepped, before, after } = update;
  const rule = stepped && Object.hasOwn(RULES, stepped.optimizer) ? RULES[stepped.optimizer] : null;
  if (!stepped || !rule) return null;
  const flat = place && place.length > 0 ? ravel(place, after.shape) : 0;
  const reading = readingOf(
    nameLatex({ name, isVariable: true }),
    stepped,
    [before, after],
    flat,
    place?.length ? place : null,
  );
  const ruled = rule(reading);
  const { self, was, is, near } = reading;
  if (!ruled || !near(ruled.from - ruled.by, is, was, ruled.by)) return null;
  const from = ruled.from === was ? '' : ` \\cdot ${shrunk(reading)}`;
  const gradient = gradientOf(name, reading);
  return {
    general: [
      aligned([gradient.general, ...ruled.general]),
      aligned([`&${self} \\leftarrow ${self}${from}`, `& \\quad ${ruled.off[0]}`]),
    ],
    figures: [
      aligned([gradient.figures, ...ruled.figures]),
      aligned([
        `&${at(self, reading.place)} \\leftarrow ${numeral(was)}${from}`,
        `& \\quad ${ruled.off[1]}`,
        `& \\quad = ${numeral(is)}`,
      ]),
    ],
  };
}

function readingOf(
  self: string,
  stepped: Stepped,
  [before, after]: [Summary, Summary],
  flat: number,
  place: readonly number[] | null,
): Reading {
  const { rate, options, grad, state, earlier } = stepped;
  const step = elementOf(state.step, 0);
  const follows = earlier !== null && elementOf(earlier.step, 0) === step - 1;
  // Numbers of low precision are farther apart.
  const tolerance = /16$/.test(after.dtype) ? 2e-2 : 1e-4;
  return {
    self,
    place,
    stepped,
    near: (one, other, ...sizes) =>
      Math.abs(one - other) <= tolerance * Math.max(Math.abs(one), Math.abs(other), ...sizes.map(Math.abs)),
    option: (name) => Number(options[name] ?? 0),
    isOn: (name) => options[name] === 'True',
    rate,
    was: elementOf(before, flat),
    is: elementOf(after, flat),
    grad: elementOf(grad, flat),
    held: (name) => elementOf(state[name], flat),
    before: (name) => (step === 1 ? 0 : follows ? elementOf(earlier[name], flat) : Number.NaN),
    step,
  };
}

/** An element as a number; NaN where it is none, or not known. */
function elementOf(held: Summary | string | undefined, flat: number): number {
  if (held === undefined || typeof held === 'string') return Number(held ?? Number.NaN);
  const value = held.values[flat];
  return typeof value === 'number' ? value : Number.NaN;
}

/** Whether the decay is taken off the parameter itself, not added to its gradient. */
const isDecoupled = ({ stepped, isOn }: Reading) => stepped.optimizer === 'AdamW' || isOn('decoupled_weight_decay');

/** What a parameter is multiplied by before the step. */
const shrunk = ({ rate, option }: Reading) => `(1 - ${numeral(rate)} \\cdot ${numeral(option('weight_decay'))})`;

/** The gradient that a rule takes: of which sign, and with what of the parameter. */
function gradientFor(reading: Reading): number {
  const own = reading.isOn('maximize') ? -reading.grad : reading.grad;
  return isDecoupled(reading) ? own : own + reading.option('weight_decay') * reading.was;
}

function gradientOf(name: string, reading: Reading): { general: string; figures: string } {
  const { self, grad, was, option, isOn } = reading;
  const sign = isOn('maximize') ? '-' : '';
  const decay = isDecoupled(reading) ? 0 : option('weight_decay');
  const more = (of: string) => (decay === 0 ? '' : ` \\\\ & \\quad + ${numeral(decay)} \\cdot ${of}`);
  const own = nameLatex({ name: `${name}.grad`, isVariable: true });
  const taken = sign || decay ? ` \\\\ & = ${numeral(gradientFor(reading))}` : '';
  return {
    general: `g & = ${sign}${own}${more(self)}`,
    figures: `g & = ${sign}${sign ? bracketed(grad) : numeral(grad)}${more(bracketed(was))}${taken}`,
  };
}

/** `m ← 0.9 m + 0.1 g`: a running mean, and the same with its numbers. */
function mean(of: string, kept: number, slot: string, square: boolean): string {
  const power = square ? '^2' : '';
  return `${of} & \\leftarrow ${numeral(kept)}\\,${of} + ${numeral(1 - kept)}\\,g${power} && \\scriptsize\\text{${slot.replaceAll('_', '\\_')}}`;
}

function meanFigures(of: string, kept: number, [was, is, by]: [number, number, number], square: boolean): string[] {
  const power = square ? '^2' : '';
  return [
    `${of} & \\leftarrow ${numeral(kept)} \\cdot ${bracketed(was)}`,
    `& \\quad + ${numeral(1 - kept)} \\cdot ${square ? `(${numeral(by)})` : bracketed(by)}${power}`,
    `& = ${numeral(is)}`,
  ];
}

function adam(reading: Reading): ReturnType<Rule> {
  const { near, option, rate, was, held, before, step, stepped, isOn } = reading;
  const betas = /^\((\S+), (\S+)\)$/.exec(stepped.options.betas ?? '');
  const [b1, b2] = [Number(betas?.[1]), Number(betas?.[2])];
  const g = gradientFor(reading);
  const [m0, v0, m, v] = [before('exp_avg'), before('exp_avg_sq'), held('exp_avg'), held('exp_avg_sq')];
  if (!near(b1 * m0 + (1 - b1) * g, m, b1 * m0, (1 - b1) * g)) return null;
  if (!near(b2 * v0 + (1 - b2) * g * g, v)) return null;
  const most = isOn('amsgrad') ? held('max_exp_avg_sq') : v;
  const [mHat, vHat] = [m / (1 - b1 ** step), most / (1 - b2 ** step)];
  const eps = option('eps');
  const corrected = (hat: string, of: string, beta: number, power: string) =>
    `\\hat{${hat}} & = \\frac{${of}}{1 - ${numeral(beta)}^{${power}}}`;
  const off = (rise: string, root: string) =>
    `- ${numeral(rate)} \\cdot \\frac{${rise}}{\\sqrt{${root}} + ${numeral(eps)}}`;
  return {
    general: [
      mean('m', b1, 'exp_avg', false),
      mean('v', b2, 'exp_avg_sq', true),
      `${corrected('m', 'm', b1, 't')}${APART}${corrected('v', isOn('amsgrad') ? 'v_{max}' : 'v', b2, 't')}`,
    ],
    figures: [
      ...meanFigures('m', b1, [m0, m, g], false),
      ...meanFigures('v', b2, [v0, v, g], true),
      `${corrected('m', numeral(m), b1, String(step))} = ${numeral(mHat)}${APART}${corrected('v', numeral(most), b2, String(step))} = ${numeral(vHat)}`,
    ],
    off: [off('\\hat{m}', '\\hat{v}'), off(numeral(mHat), numeral(vHat))],
    by: (rate * mHat) / (Math.sqrt(vHat) + eps),
    from: isDecoupled(reading) ? was * (1 - rate * option('weight_decay')) : was,
  };
}

function rmsprop(reading: Reading): ReturnType<Rule> {
  const { near, option, rate, was, held, before, isOn } = reading;
  const [alpha, eps, momentum] = [option('alpha'), option('eps'), option('momentum')];
  const g = gradientFor(reading);
  const [v0, v] = [before('square_avg'), held('square_avg')];
  if (!near(alpha * v0 + (1 - alpha) * g * g, v)) return null;
  const general = [mean('v', alpha, 'square_avg', true)];
  const figures = meanFigures('v', alpha, [v0, v, g], true);
  let root = v;
  let under: [string, string] = ['v', numeral(v)];
  if (isOn('centered')) {
    const [a0, a] = [before('grad_avg'), held('grad_avg')];
    if (!near(alpha * a0 + (1 - alpha) * g, a, alpha * a0, (1 - alpha) * g)) return null;
    general.push(mean('a', alpha, 'grad_avg', false));
    figures.push(...meanFigures('a', alpha, [a0, a, g], false));
    root = v - a * a;
    under = ['v - a^2', `${numeral(v)} - (${numeral(a)})^2`];
  }
  const scaled = (rise: string, of: string) => `\\frac{${rise}}{\\sqrt{${of}} + ${numeral(eps)}}`;
  const step = g / (Math.sqrt(root) + eps);
  const shown = [scaled('g', under[0]), scaled(numeral(g), under[1])] as const;
  if (momentum <= 0)
    return {
      general,
      figures,
      off: [`- ${numeral(rate)} \\cdot ${shown[0]}`, `- ${numeral(rate)} \\cdot ${shown[1]}`],
      by: rate * step,
      from: was,
    };
  const [b0, b] = [before('momentum_buffer'), held('momentum_buffer')];
  if (!near(momentum * b0 + step, b, momentum * b0, step)) return null;
  return {
    general: [
      ...general,
      `b & \\leftarrow ${numeral(momentum)}\\,b + ${shown[0]} && \\scriptsize\\text{momentum\\_buffer}`,
    ],
    figures: [
      ...figures,
      `b & \\leftarrow ${numeral(momentum)} \\cdot ${bracketed(b0)}`,
      `& \\quad + ${shown[1]}`,
      `& = ${numeral(b)}`,
    ],
    off: [`- ${numeral(rate)} \\cdot\\,b`, `- ${numeral(rate)} \\cdot ${bracketed(b)}`],
    by: rate * b,
    from: was,
  };
}

function bracketed(value: number): string {
  const text = numeral(value);
  return text.startsWith('-') ? `(${text})` : text;
}
