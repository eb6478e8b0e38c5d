// The names and signs by which readers know ops: `linalg.inv` for the engine's `linalg_inv_ex`, `//` for `floor_divide`.

import type { Argument } from '../protocol/events';
import { SIGNED } from '../protocol/op-names';
import { own } from '../protocol/own';

const INFIX: Readonly<Record<string, string>> = SIGNED.infix;
const NAMES: Readonly<Record<string, string>> = SIGNED.names;
const VARIANT = new RegExp(`_(${SIGNED.variants.join('|')})$`);
const MODULE = new RegExp(`^(${SIGNED.modules.join('|')})_`);
const GRADIENTS = '_backward';

/** What a reader calls an op. */
export function nameOf(op: string, inputs: readonly Argument[] = []): string {
  if (op === 'clone' && textOf(inputs, 'memory_format') === 'torch.contiguous_format') return 'contiguous';
  if (op.startsWith('fft_')) return transformName(op, inputs);
  const { bare, isInPlace } = bareName(op);
  const isOfGradients = bare.endsWith(GRADIENTS) && own(NAMES, bare) === undefined;
  const forward = isOfGradients ? bare.slice(0, -GRADIENTS.length).replace(VARIANT, '') : bare;
  const name = own(NAMES, forward) ?? forward.replace(MODULE, '$1.');
  return name + (isOfGradients ? GRADIENTS : '') + (isInPlace ? '_' : '');
}

/** The sign of Python between the operands of an op, as `==` and `//=`; null where it is called by its name. */
export function infixOf(op: string): string | null {
  const { bare, isInPlace } = bareName(op);
  const sign = own(INFIX, bare) ?? null;
  if (sign === null || !isInPlace) return sign;
  return /^[=!<>]/.test(sign) ? null : `${sign}=`;
}

/** The text of an argument; null where there is none. */
export function textOf(inputs: readonly Argument[], name: string): string | null {
  return inputs.find((input) => input.name === name)?.text ?? null;
}

/** The name of an op without the endings of variants. */
function bareName(op: string): { bare: string; isInPlace: boolean } {
  const plain = op.replace(/^__(\w+)__$/, '$1');
  const stem = plain.replace(/_+$/, '') || plain;
  return { bare: own(NAMES, stem) === undefined ? stem.replace(VARIANT, '') : stem, isInPlace: stem !== plain };
}

/** A Fourier transform: its arguments decide which function of torch.fft it is. */
function transformName(op: string, inputs: readonly Argument[]): string {
  let name = own(NAMES, op) ?? op;
  if (op === 'fft_r2c' && textOf(inputs, 'onesided') === 'False') name = 'fft.fft';
  else if (op === 'fft_c2c' && textOf(inputs, 'forward') === 'False') name = 'fft.ifft';
  return (textOf(inputs, 'dim')?.match(/\d+/g) ?? []).length > 1 ? `${name}n` : name;
}
