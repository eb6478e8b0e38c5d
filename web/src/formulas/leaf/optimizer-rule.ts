// An optimizer's own rule with the numbers of a step: SGD, Adam, AdamW and RMSprop, for one element of a parameter.

import { ravel } from '../../facts/elements';
import type { Summary } from '../../protocol/events';
import type { Stepped, Update } from '../../timeline/updates';
import { aligned, at, numeral } from '../arithmetic';
import { bracketed as inBrackets, nameLatex } from '../formula';

/** The rule, and the same with the numbers of an element: a formula for what it remembers, one for the parameter. */
export type RuleLatex = { general: string[]; figures: string[] };

/** What a rule computes in one go, as LaTeX: its name, the terms of its formula, the same with numbers, and what they come to. */
export type RuleLine = {
  name: string;
  /** What the optimizer remembers it in. */
  slot: string | null;
  general: string[];
  figures: string[];
  /** Null where it is what it is made of. */
  result: number | null;
};

/** The lines of a rule for one element; the last one is the parameter's. */
export type ElementRule = { place: readonly number[] | null; lines: RuleLine[]; last: RuleLine };

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
  /** What it remembered before; NaN where that is nothing, or not known. */
  earlier: (name: string) => number;
  step: number;
  stepped: Stepped;
};

/** Lines of what a rule computes first, and what is taken off the parameter; null where the numbers do not come to the log's. */
type Rule = (reading: Reading) => { lines: RuleLine[]; off: [string, string]; by: number; from: number } | null;

/** Between two rows, and between two fractions. */
const NEXT = ' \\\\ ';
const APART = ' \\\\[6pt] ';

const RULES: Readonly<Record<string, Rule>> = { SGD: sgd, Adam: adam, AdamW: adam, RMSprop: rmsprop };

/** The rule of the optimizer that made an update, for the element at `place`; null where it is another, or the numbers do not come to it. */
export function elementRule(name: string, update: Update, place: readonly number[] | null): ElementRule | null {
  const { stepped, before, after } = update;
  const rule = stepped && Object.hasOwn(RULES, stepped.optimizer) ? RULES[stepped.optimizer] : null;
  if (!stepped || !rule) return null;
  const flat = place && place.length > 0 ? ravel(place, after.shape) : 0;
  const self = nameLatex({ name, isVariable: true });
  const reading = readingOf(self, stepped, [before, after], flat, place?.length ? place : null);
  const ruled = rule(reading);
  const { was, is, near } = reading;
  if (!ruled || !near(ruled.from - ruled.by, is, was, ruled.by)) return null;
  const from = ruled.from === was ? '' : ` \\cdot ${shrunk(reading)}`;
  const last = {
    name: self,
    slot: null,
    general: [`${self}${from}`, ruled.off[0]],
    figures: [`${numeral(was)}${from}`, ruled.off[1]],
    result: is,
  };
  return { place: reading.place, lines: [gradientLine(name, reading), ...ruled.lines], last };
}

/** The same as two formulas: what comes first, and the parameter's line. */
export function ruleLatex(name: string, update: Update, place: readonly number[] | null): RuleLatex | null {
  const rule = elementRule(name, update, place);
  if (!rule) return null;
  const { lines, last } = rule;
  const [before, after] = [last.general, last.figures];
  return {
    general: [
      stacked(lines.map(generalRows)),
      aligned([`&${last.name} \\leftarrow ${before[0]}`, `& \\quad ${before[1]}`]),
    ],
    figures: [
      stacked(lines.map(figureRows)),
      aligned([
        `&${at(last.name, rule.place)} \\leftarrow ${after[0]}`,
        `& \\quad ${after[1]}`,
        `& \\quad = ${numeral(last.result!)}`,
      ]),
    ],
  };
}

/** The rows of lines, with room between two fractions. */
function stacked(all: readonly string[][]): string {
  const isTall = all.map((rows) => rows.some((row) => row.includes('\\frac')));
  const texts = all.map((rows, i) => (i === 0 ? '' : isTall[i] && isTall[i - 1] ? APART : NEXT) + rows.join(NEXT));
  return aligned([texts.join('')]);
}

function generalRows({ name, slot, general }: RuleLine): string[] {
  const sign = slot === null ? '=' : '\\leftarrow';
  const kept = slot === null ? '' : ` && \\scriptsize\\text{${slot.replaceAll('_', '\\_')}}`;
  // What is remembered has one row, with its slot.
  const terms = slot === null ? general : [general.join(' ')];
  return terms.map((term, i) => (i === 0 ? `${name} & ${sign} ${term}${kept}` : `& \\quad ${term}`));
}

function figureRows({ name, slot, figures, result }: RuleLine): string[] {
  const rows = figures.map((term, i) =>
    i === 0 ? `${name} & ${slot === null ? '=' : '\\leftarrow'} ${term}` : `& \\quad ${term}`,
  );
  if (result === null) return rows;
  const end = `= ${numeral(result)}`;
  return slot === null && figures.length === 1 ? [`${rows[0]} ${end}`] : [...rows, `& ${end}`];
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
    earlier: (name) => elementOf(earlier?.[name], flat),
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

/** `g = w.grad + 0.01 w`. */
function gradientLine(name: string, reading: Reading): RuleLine {
  const { self, grad, was, option, isOn } = reading;
  const sign = isOn('maximize') ? '-' : '';
  const decay = isDecoupled(reading) ? 0 : option('weight_decay');
  const more = (of: string) => (decay === 0 ? [] : [`+ ${numeral(decay)} \\cdot ${of}`]);
  const own = nameLatex({ name: `${name}.grad`, isVariable: true });
  return {
    name: 'g',
    slot: null,
    general: [`${sign}${own}`, ...more(self)],
    figures: [`${sign}${sign ? bracketed(grad) : numeral(grad)}`, ...more(bracketed(was))],
    result: sign || decay ? gradientFor(reading) : null,
  };
}

/** `m ← 0.9 m + 0.1 g`: a running mean, and the same with its numbers. */
function mean(
  name: string,
  slot: string,
  kept: number,
  [was, is, by]: [number, number, number],
  isSquare = false,
): RuleLine {
  const power = isSquare ? '^2' : '';
  const taken = numeral(1 - kept);
  return {
    name,
    slot,
    general: [`${numeral(kept)}\\,${name}`, `+ ${taken}\\,g${power}`],
    figures: [`${numeral(kept)} \\cdot ${bracketed(was)}`, `+ ${taken} \\cdot ${bracketed(by)}${power}`],
    result: is,
  };
}

function sgd(reading: Reading): ReturnType<Rule> {
  const { near, option, isOn, rate, was, held, stepped } = reading;
  const [momentum, dampening] = [option('momentum'), option('dampening')];
  const g = gradientFor(reading);
  if (momentum === 0) {
    const off = (of: string) => `- ${numeral(rate)} \\cdot ${of}`;
    return { lines: [], off: [off('g'), off(bracketed(g))], by: rate * g, from: was };
  }
  const slot = 'momentum_buffer';
  const b = held(slot);
  const begins = stepped.earlier?.[slot] === undefined;
  const b0 = reading.earlier(slot);
  const taken = begins ? 1 : 1 - dampening;
  if (!near(begins ? g : momentum * b0 + taken * g, b, begins ? 0 : momentum * b0, taken * g)) return null;
  const buffer: RuleLine = begins
    ? { name: 'b', slot, general: ['g'], figures: [numeral(g)], result: null }
    : {
        name: 'b',
        slot,
        general: [`${numeral(momentum)}\\,b`, `+ ${taken === 1 ? '' : `${numeral(taken)}\\,`}g`],
        figures: [
          `${numeral(momentum)} \\cdot ${bracketed(b0)}`,
          `+ ${taken === 1 ? '' : `${numeral(taken)} \\cdot `}${bracketed(g)}`,
        ],
        result: b,
      };
  const isAhead = isOn('nesterov');
  const off = (of: string, gradient: string) =>
    `- ${numeral(rate)} \\cdot ${isAhead ? `(${gradient} + ${numeral(momentum)} \\cdot ${of})` : of}`;
  return {
    lines: [buffer],
    off: [off('b', 'g'), off(bracketed(b), numeral(g))],
    by: rate * (isAhead ? g + momentum * b : b),
    from: was,
  };
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
  const corrected = (hat: string, [of, own]: [string, number], beta: number, result: number): RuleLine => {
    const over = (above: string, power: string) => [`\\frac{${above}}{1 - ${numeral(beta)}^{${power}}}`];
    return {
      name: `\\hat{${hat}}`,
      slot: null,
      general: over(of, 't'),
      figures: over(numeral(own), String(step)),
      result,
    };
  };
  const off = (rise: string, root: string) =>
    `- ${numeral(rate)} \\cdot \\frac{${rise}}{\\sqrt{${root}} + ${numeral(eps)}}`;
  return {
    lines: [
      mean('m', 'exp_avg', b1, [m0, m, g]),
      mean('v', 'exp_avg_sq', b2, [v0, v, g], true),
      corrected('m', ['m', m], b1, mHat),
      corrected('v', [isOn('amsgrad') ? 'v_{max}' : 'v', most], b2, vHat),
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
  const lines = [mean('v', 'square_avg', alpha, [v0, v, g], true)];
  let root = v;
  let under: [string, string] = ['v', numeral(v)];
  if (isOn('centered')) {
    const [a0, a] = [before('grad_avg'), held('grad_avg')];
    if (!near(alpha * a0 + (1 - alpha) * g, a, alpha * a0, (1 - alpha) * g)) return null;
    lines.push(mean('a', 'grad_avg', alpha, [a0, a, g]));
    root = v - a * a;
    under = ['v - a^2', `${numeral(v)} - (${numeral(a)})^2`];
  }
  const scaled = (rise: string, of: string) => `\\frac{${rise}}{\\sqrt{${of}} + ${numeral(eps)}}`;
  const step = g / (Math.sqrt(root) + eps);
  const shown = [scaled('g', under[0]), scaled(numeral(g), under[1])] as const;
  if (momentum <= 0) {
    const off = (of: string) => `- ${numeral(rate)} \\cdot ${of}`;
    return { lines, off: [off(shown[0]), off(shown[1])], by: rate * step, from: was };
  }
  const slot = 'momentum_buffer';
  const [b0, b] = [before(slot), held(slot)];
  if (!near(momentum * b0 + step, b, momentum * b0, step)) return null;
  const buffer = {
    name: 'b',
    slot,
    general: [`${numeral(momentum)}\\,b`, `+ ${shown[0]}`],
    figures: [`${numeral(momentum)} \\cdot ${bracketed(b0)}`, `+ ${shown[1]}`],
    result: b,
  };
  return {
    lines: [...lines, buffer],
    off: [`- ${numeral(rate)} \\cdot\\,b`, `- ${numeral(rate)} \\cdot ${bracketed(b)}`],
    by: rate * b,
    from: was,
  };
}

function bracketed(value: number): string {
  return inBrackets(numeral(value));
}
