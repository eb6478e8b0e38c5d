// The signs that ops carry on their pills; an op without one goes by its name.

import { infixOf, nameOf, textOf } from '../format/op-name';
import type { Argument } from '../protocol/events';
import { SIGNED } from '../protocol/op-names';
import { own } from '../protocol/own';

const SYMBOLS: Record<string, string> = {
  ...SIGNED.signs,
  neg: '−',
  sigmoid: 'σ',
  t: 'T',
  log: 'ln',
  maximum: 'max',
  minimum: 'min',
  mse_loss: 'mse',
  sqrt: '√',
  abs: '|x|',
  BackwardHookFunction: 'hooks',
  CheckpointFunction: 'checkpoint',
};

const VARIANT = new RegExp(`_(${SIGNED.sign_variants.join('|')})$`);
const ROUNDING = /^'(floor|trunc)'$/;
const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';
/** Bases that begin with a sign or end in an exponent, which another one would apply to a part of only. */
const UNCLEAR = /^[−-]|[⁰¹²³⁴-⁹]$|\^[^)\]]*$/;

/** A base with an exponent, as on paper where the exponent is a small whole number. */
export function power(exponent: string, of = 'x'): string {
  const base = UNCLEAR.test(of) ? `(${of})` : of;
  const whole = exponent.replace(/\.0$/, '');
  if (/^\d{1,2}$/.test(whole)) return `${base}${[...whole].map((digit) => SUPERSCRIPTS[Number(digit)]).join('')}`;
  return `${base}^${exponent.replace('-', '−')}`;
}

/** The sign of an op, else its name; in-place ops, whose names end in an underscore, carry `=` as in Python's `+=`. */
export function symbolOf(op: string, inputs: readonly Argument[] = []): string {
  const plain = op.replace(/^__(\w+)__$/, '$1');
  if (plain.endsWith('_') && plain.length > 1) {
    const symbol = own(SYMBOLS, plain.slice(0, -1));
    return symbol && symbol.length === 1 ? `${symbol}=` : (signOf(plain) ?? nameOf(op, inputs));
  }
  const bare = plain.replace(VARIANT, '');
  return own(SYMBOLS, plain) ?? own(SYMBOLS, bare) ?? signOf(op) ?? nameOf(op, inputs);
}

/** A sign of Python; not `^`, which is the sign of powers here. */
function signOf(op: string): string | null {
  const sign = infixOf(op);
  return sign?.startsWith('^') ? null : sign;
}

/** How a division rounds, as `floor`; null where it does not. */
export function roundingOf(inputs: readonly Argument[]): string | null {
  return ROUNDING.exec(textOf(inputs, 'rounding_mode') ?? '')?.[1] ?? null;
}
