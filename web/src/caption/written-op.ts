// An op as the reader wrote it: `mask == 0`, `x[:, 1:3]`, `reshape(x)`, by the table that the terminal uses too.

import { number } from '../format/number';
import { infixOf, nameOf, textOf } from '../format/op-name';
import { power, roundingOf, symbolOf } from '../layout/symbol';
import type { Argument } from '../protocol/events';
import { WRITTEN } from '../protocol/sentences';

const SIGNS = new Set(['+', '−', '×', '÷', '@', '·']);
const NUMBER = /^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/;
const OPERANDS = new Set<string>(WRITTEN.operands);
/** Ops whose first argument is on the right. */
export const REVERSED = /^rsub$|^pow_base$|_of_number$/;
const LAST = 2 ** 62;
const MOST_DIMS = 4;
const MOST_ARGUMENTS = 12;

/** A plain number that an op was given, with four significant digits; null for any other text. */
export function numeral(text: string | null): string | null {
  return text !== null && NUMBER.test(text) ? number(Number(text)) : null;
}

/** The sign that is between the operands of an op, as `+` and `==`; null where it is called by its name. */
export function signOf(op: string): string | null {
  const symbol = symbolOf(op);
  if (SIGNS.has(symbol.replace('=', ''))) return symbol;
  return infixOf(op);
}

/** Brackets without others inside, and what they hold. */
const INNERMOST = /\[[^[\]()]*\]|\([^[\]()]*\)/g;
const COMPLEX = /^[^ ]*\d[+−][\d.e−]+i$/;

/** A text beside a sign: in brackets where it is several words, or a complex number. */
export function asOperand(text: string): string {
  let bare = text;
  for (let whole = ''; whole !== bare; ) {
    whole = bare;
    bare = whole.replace(INNERMOST, '');
  }
  return bare.includes(' ') || COMPLEX.test(bare) ? `(${text})` : text;
}

/** An op and what it is applied to; `operand` writes a tensor, in brackets where its text is several words. */
export function expressionOf(
  op: string,
  inputs: readonly Argument[],
  tensorText: (tensor: number) => string,
  operand: (tensor: number) => string,
): string {
  const sided = inputs.filter(({ name }) => ['self', 'other', 'exponent', 'mat2', 'vec', 'tensor'].includes(name));
  const operands = sided.flatMap(({ tensor, text }) => {
    const one = tensor === null ? numeral(text) : operand(tensor);
    return one === null ? [] : [one];
  });
  const tensors = inputs.flatMap(({ tensor }) => (tensor === null ? [] : [operand(tensor)]));
  const both = operands.length === 2 ? operands : tensors;
  const name = nameOf(op, inputs);
  const sign = signOf(op);
  const isReversed = REVERSED.test(op);
  const [left = '', right = ''] = isReversed ? both.toReversed() : both;
  if (symbolOf(op) === '^' && both.length === 2) return power(right, left);
  if (sign !== null && both.length === 2) {
    const alpha = numeral(textOf(inputs, 'alpha')) ?? '1';
    return `${left} ${sign} ${alpha === '1' ? '' : `${alpha} × `}${right}`;
  }
  if (tensors.length === 1 && name === 'neg') return `−${tensors[0]}`;
  if (tensors.length === 1 && (name === 'bitwise_not' || name === 'logical_not')) return `~${tensors[0]}`;
  const part = partOf(name, inputs, tensors);
  if (part !== null) return part;
  return `${name}(${argumentsOf(name, isReversed ? inputs.toReversed() : inputs, tensorText).join(', ')})`;
}

/** Indexing, as in `x[0]`, `x[:, 1:3]` and `x[rows]`; null for anything else. */
function partOf(name: string, inputs: readonly Argument[], tensors: readonly string[]): string | null {
  const [self, ...indices] = tensors;
  if (self === undefined) return null;
  if (name === 'index') {
    const isPlain = inputs.slice(1).every((input, i) => input.tensor !== null && input.name === `indices[${i}]`);
    return `${self}[${isPlain && indices.length > 0 ? indices.join(', ') : '…'}]`;
  }
  if (tensors.length !== 1) return null;
  const dim = Number(textOf(inputs, 'dim') ?? Number.NaN);
  if (!(dim >= 0 && dim < MOST_DIMS)) return null;
  const before = ':, '.repeat(dim);
  const index = textOf(inputs, 'index');
  if (name === 'select' && index !== null) return `${self}[${before}${index.replace('-', '−')}]`;
  if (name !== 'slice') return null;
  const [start, end, step] = ['start', 'end', 'step'].map((one) => bound(textOf(inputs, one)));
  const stride = step === '' || step === '1' ? '' : `:${step}`;
  return `${self}[${before}${start === '0' ? '' : start}:${end}${stride}]`;
}

function bound(text: string | null): string {
  return text === null || !/^-?\d+$/.test(text) || Math.abs(Number(text)) > LAST ? '' : text.replace('-', '−');
}

/**
 * The arguments in the order in which one writes them: the tensors, and of some ops the numbers that say most.  Of many,
 * as in a stack of a batch, these are the first ones and the last.
 */
function argumentsOf(name: string, inputs: readonly Argument[], tensorText: (tensor: number) => string): string[] {
  const order = name === 'where' ? ['condition', 'self', 'other'] : null;
  const given = order ? order.flatMap((one) => inputs.filter((input) => input.name === one)) : inputs;
  const all = given.flatMap((input) => {
    if (input.tensor !== null) return [tensorText(input.tensor)];
    if (roundingOf([input]) !== null) return [`rounding_mode=${input.text}`];
    const value = input.text === '-inf' ? '−inf' : numeral(input.text);
    if (value === null) return [];
    if (name === 'where' || OPERANDS.has(input.name)) return [value];
    if (name === 'masked_fill' && input.name === 'value') return [value];
    return name === 'clamp' && (input.name === 'min' || input.name === 'max') ? [`${input.name}=${value}`] : [];
  });
  return all.length > MOST_ARGUMENTS ? [...all.slice(0, MOST_ARGUMENTS / 2), '…', ...all.slice(-1)] : all;
}
