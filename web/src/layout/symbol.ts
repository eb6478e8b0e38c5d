// The signs that ops carry on their pills; an op without one goes by its name.

import * as say from '../messages/stage';
import { own } from '../protocol/own';
import { SIGNED } from '../protocol/steps';

const SYMBOLS: Record<string, string> = {
  ...SIGNED.signs,
  neg: '−',
  sigmoid: 'σ',
  t: 'T',
  log: 'ln',
  maximum: 'max',
  minimum: 'min',
  mse_loss: 'mse',
  unsafe_view: 'reshape',
  native_batch_norm: say.batchNorm,
  native_group_norm: say.groupNorm,
  native_layer_norm: say.layerNorm,
  sqrt: '√',
  abs: '|x|',
  BackwardHookFunction: 'hooks',
  CheckpointFunction: 'checkpoint',
};

const VARIANT = new RegExp(`_(${SIGNED.sign_variants.join('|')})$`);
const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** A base with an exponent, as on paper where the exponent is a small whole number. */
export function power(exponent: string, base = 'x'): string {
  const whole = exponent.replace(/\.0$/, '');
  if (/^\d{1,2}$/.test(whole)) return `${base}${[...whole].map((digit) => SUPERSCRIPTS[Number(digit)]).join('')}`;
  return `${base}^${exponent.replace('-', '−')}`;
}

/** The sign of an op; in-place ops, whose names end in an underscore, carry `=` as in Python's `+=`. */
export function symbolOf(op: string): string {
  const plain = op.replace(/^__(\w+)__$/, '$1');
  if (plain.endsWith('_') && plain.length > 1) {
    const symbol = own(SYMBOLS, plain.slice(0, -1));
    return symbol && symbol.length === 1 ? `${symbol}=` : plain;
  }
  const bare = plain.replace(VARIANT, '');
  return own(SYMBOLS, plain) ?? own(SYMBOLS, bare) ?? bare.replaceAll('_', ' ');
}
