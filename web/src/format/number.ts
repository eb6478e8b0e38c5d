// Writes numbers, bytes, shapes and small tensors for the page.

import type { Scalar, Summary, TensorElement } from '../protocol/events';
import { own } from '../protocol/own';

const MINUS = '−';
/** What is said with a vowel first: eight and all that begins with it, eleven and eighteen with their thousands. */
const AN = /^(8\d*|(11|18)(\d{3})*)$/;
const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];

function trimmed(digits: string): string {
  return digits.includes('.') ? digits.replace(/\.?0+$/, '') : digits;
}

/** A number with four significant digits and a true minus; scientific from 1e5 and below 1e-3. */
export function number(value: Scalar): string {
  if (typeof value === 'string') return value === 'NaN' ? 'NaN' : value === 'Infinity' ? 'Inf' : `${MINUS}Inf`;
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? 'Inf' : `${MINUS}Inf`;
  const size = Math.abs(value);
  if (size === 0) return '0';
  const sign = value < 0 ? MINUS : '';
  if (size < 1e5 && Number.isInteger(size)) return `${sign}${size}`;
  const rounded = Number(size.toPrecision(4));
  if (rounded >= 1e5 || rounded < 1e-3) {
    const [mantissa, exponent] = rounded.toExponential(3).split('e') as [string, string];
    return `${sign}${trimmed(mantissa)}e${exponent.replace('+', '').replace('-', MINUS)}`;
  }
  return `${sign}${rounded}`;
}

/** A number of the program's text: as it is with up to five significant digits and any whole number, else marked `≈`. */
export function constant(value: number): string {
  const sign = value < 0 ? MINUS : '';
  const size = Math.abs(value);
  if (Number.isSafeInteger(size) && size < 1e9) return `${sign}${size}`;
  if (Number(number(size).replace(MINUS, '-')) === size || !Number.isFinite(size)) return number(value);
  const rounded = Number(size.toPrecision(5));
  const text = rounded < 1e-3 || rounded >= 1e5 ? rounded.toExponential() : String(rounded);
  return `${rounded === size ? '' : '≈'}${sign}${text.replace('e+', 'e').replace('e-', `e${MINUS}`)}`;
}

/** Bytes in units of 1024: `4 B`, `1.2 KB`, `3 MB`. */
export function bytes(count: number): string {
  let size = count;
  let unit = 0;
  while (size >= 1000 && unit < UNITS.length - 1) {
    size /= 1024;
    unit += 1;
  }
  return `${unit === 0 || size >= 99.95 ? Math.round(size) : trimmed(size.toFixed(1))} ${UNITS[unit]}`;
}

/** A count with thousands separators, with its noun: `1 step`, `12,000 steps`. */
export function counted(count: number, noun = ''): string {
  // Most counts need no separator, and a formatter takes as long as drawing what is counted.
  const text = count < 1000 ? String(count) : count.toLocaleString('en');
  return noun ? `${text} ${noun}${count === 1 ? '' : 's'}` : text;
}

/** The bytes of saved tensors: what lies in one storage is there once. */
export function heldBytes(saved: readonly { storage: number; nbytes: number }[]): number {
  const largest = new Map<number, number>();
  for (const { storage, nbytes } of saved) largest.set(storage, Math.max(largest.get(storage) ?? 0, nbytes));
  return [...largest.values()].reduce((sum, nbytes) => sum + nbytes, 0);
}

/** A shape as PyTorch writes it in a list: `[64, 128]`. */
export function shape(dims: readonly number[]): string {
  return `[${dims.join(', ')}]`;
}

/** Whether a shape takes `an`, by how its first number is said: `an [8, 4] tensor`. */
export function takesAn(dims: readonly number[]): boolean {
  return AN.test(String(dims[0] ?? ''));
}

/** One element of a tensor of a dtype: a number, a truth value or a complex number. */
export function element(value: TensorElement, dtype: string): string {
  if (Array.isArray(value)) {
    const [re, im] = value as [Scalar, Scalar];
    const text = number(im);
    return `${number(re)}${text.startsWith(MINUS) ? MINUS : '+'}${text.replace(MINUS, '')}i`;
  }
  return dtype.endsWith('bool') ? (value ? 'True' : 'False') : number(value);
}

/** The elements of a small tensor with its brackets, or null where they would take more than `most` characters. */
export function values(summary: Summary, most: number): string | null {
  const { shape: dims, dtype } = summary;
  const count = dims.reduce((product, dim) => product * dim, 1);
  if (count !== summary.values.length || count === 0 || count > most) return null;
  const build = (dim: number, offset: number, span: number): string => {
    if (dim === dims.length) return element(summary.values[offset]!, dtype);
    const inner = span / dims[dim]!;
    const parts = Array.from({ length: dims[dim]! }, (_, i) => build(dim + 1, offset + i * inner, inner));
    return `[${parts.join(', ')}]`;
  };
  const text = build(0, 0, count);
  return text.length <= most ? text : null;
}

const KINDS: Record<string, string> = { float: 'f', bfloat: 'bf', int: 'i', uint: 'u', complex: 'c' };

/** A shape that cannot be taken for elements: the dtype is before it, as in `f32[64, 128]`. */
export function typedShape({ shape: dims, dtype }: Summary): string {
  const [, kind = '', bits = ''] = /^(?:torch\.)?([a-z]+)(\d*)$/.exec(dtype) ?? [];
  return `${own(KINDS, kind) ?? kind}${bits}${shape(dims)}`;
}

/** What a tensor holds in a few characters: its elements if they fit, else its dtype and shape, and whether it has a NaN. */
export function brief(summary: Summary, most = 18): string {
  const text = values(summary, most);
  if (text !== null) return text;
  const typed = typedShape(summary);
  const bad = summary.nan_count > 0 ? 'NaN' : summary.inf_count > 0 ? 'Inf' : '';
  if (!bad) return typed;
  return [`${typed} ${bad}`, `${bad} ${shape(summary.shape)}`].find((one) => one.length <= most) ?? typed;
}

/** A gradient in a few characters: its elements if they fit, of one element the number at least, else its norm. */
export function gradient(summary: Summary, most = 12): string {
  if (summary.nan_count > 0 && summary.values.length !== 1) return `${summary.nan_count} NaN`;
  const text = values(summary, most);
  if (text !== null) return text;
  const [only] = summary.values;
  // A norm would hide its sign.
  if (only !== undefined && summary.shape.every((dim) => dim === 1)) return element(only, summary.dtype);
  return summary.norm === null ? shape(summary.shape) : `‖${number(summary.norm)}‖`;
}
