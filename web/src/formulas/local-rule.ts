// The rule behind a backward formula: the derivative of what the op computes, by one of its inputs.

import type { OpEntry } from '../run/api';
import { type Binding, INCOMING, named, nameLatex } from './formula';
import { type NodeLine, type Ran, ruleFor } from './node-formula';

/** Where the incoming gradient is in a formula that multiplies by it, and what is left without it. */
const FACTORS: readonly [RegExp, string][] = [
  [/^(-?)g$/, '$11'],
  [/^(-?)(\\(?:alpha|beta))\\, g$/, '$1$2'],
  [/^(-?)g \\cdot (?=\S)/, '$1'],
  [/^(-?)\\frac\{g\}/, '$1\\frac{1}'],
];
/** Ops that each element of their input is a term of. */
const SPREAD = new Set(['sum', 'mean']);
/** Signs of ops with two operands. */
const SIGNS: Readonly<Record<string, string>> = { add: '+', sub: '-', mul: '\\cdot', div: '/' };
const NUMBER = /^-?[\d.]+(?:e[+-]?\d+)?$/;

/** `∂(w · x)/∂w = x` as LaTeX; null for an op of which a product with the incoming gradient says all that there is to say. */
export function localRule(
  entry: OpEntry,
  line: NodeLine,
  { inputs }: Pick<Ran, 'inputs'>,
  bindings: ReadonlyMap<string, Binding>,
): string | null {
  const isSpread = SPREAD.has(entry.name);
  if (!entry.elementwise && !isSpread) return null;
  // A derivative is what it is; the gradient is multiplied by its conjugate.
  const factor = factorOf(ruleFor(entry, line.argument.name) ?? line.latex);
  if (factor === null) return null;
  const own = apart(bindings);
  const exponent = inputs.find(({ name }) => name === 'exponent')?.text;
  const scaled = named(exponent == null ? factor : factor.replace(LETTER_N, exponent), own, inputs).trim();
  // Of a scale of 1 nothing is left.
  const derivative = /^-?$/.test(scaled) ? `${scaled}1` : scaled;
  const written = inputs.flatMap(({ name, tensor, text }) => {
    const bound = own.get(name);
    if (tensor !== null) return [{ name, latex: nameLatex(bound ?? { name, isVariable: false }) }];
    return text !== null && NUMBER.test(text) && name !== 'alpha' ? [{ name, latex: String(Number(text)) }] : [];
  });
  const by = written.find(({ name }) => name === line.argument.name)?.latex;
  const whole =
    by === undefined
      ? null
      : wholeOf(
          entry.name,
          written.map(({ latex }) => latex),
          inputs,
          own,
        );
  if (whole === null) return null;
  return `\\displaystyle \\frac{\\partial\\,${whole}}{\\partial\\,${by}${isSpread ? '_i' : ''}} = ${derivative}`;
}

const LETTER_N = /(?<![A-Za-z\\])n(?![A-Za-z])/g;

/** What the incoming gradient is multiplied by; null where the formula does more with it. */
function factorOf(latex: string): string | null {
  for (const [from, to] of FACTORS) {
    if (!from.test(latex)) continue;
    const rest = latex.replace(from, to).replaceAll('\\mathbf{1}', '1');
    return rest.search(INCOMING) < 0 && !rest.includes('\\sum') ? rest : null;
  }
  return null;
}

/** The bindings, by their slots where one variable is in several: what is derived by one of them is not derived by the other. */
function apart(bindings: ReadonlyMap<string, Binding>): Map<string, Binding> {
  const used = new Map<string, number>();
  for (const { name } of bindings.values()) used.set(name, (used.get(name) ?? 0) + 1);
  return new Map(
    [...bindings].map(([slot, bound]) => [
      slot,
      used.get(bound.name)! > 1 ? { ...bound, name: slot, isVariable: false } : bound,
    ]),
  );
}

/** What an op computes as a formula. */
function wholeOf(
  op: string,
  operands: readonly string[],
  inputs: Ran['inputs'],
  bindings: ReadonlyMap<string, Binding>,
): string | null {
  const [one, other] = operands;
  if (one === undefined) return null;
  const sign = Object.hasOwn(SIGNS, op) ? SIGNS[op]! : null;
  if (sign !== null && operands.length === 2) {
    const scaled = op === 'add' || op === 'sub' ? named('\\alpha\\, \\text{other}', bindings, inputs) : other!;
    return `(${one} ${sign} ${scaled})`;
  }
  if (op === 'pow' && operands.length === 2) return `${one}^{${other}}`;
  if (op === 'neg') return `(-${one})`;
  if (op === 'exp') return `e^{${one}}`;
  return `\\operatorname{${op.replaceAll('_', '\\_')}}(${operands.join(', ')})`;
}
