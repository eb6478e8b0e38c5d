// A number in Python text: its parts, and its text after it was changed by units of its last digit.

/** A decimal literal; the parts that are not changed are written back as they were. */
export type NumberLiteral = {
  /** All digits without the point, with the sign: -15n of -1.5. */
  readonly digits: bigint;
  /** How many of them are behind the point. */
  readonly decimals: number;
  /** No point and no exponent: it stays an int. */
  readonly isInteger: boolean;
  readonly hasPoint: boolean;
  /** A digit is before the point: 0.5, not .5. */
  readonly hasWhole: boolean;
  /** Groups of three digits are divided by `_`. */
  readonly isGrouped: boolean;
  /** The exponent and the sign of imaginary numbers, as e-3 and j. */
  readonly tail: string;
};

const LITERAL = /^(-?)(\d[\d_]*)?(\.)?(\d[\d_]*)?([eE][+-]?[\d_]+)?([jJ])?$/;
const GROUPED = /^\d{1,3}(_\d{3})+$/;
/** A longer literal is left as it is. */
const LONGEST = 40;

/** Reads a literal with its sign; null for what is no decimal number, as 0xff. */
export function readNumber(text: string): NumberLiteral | null {
  const match = LITERAL.exec(text);
  if (!match || text.length > LONGEST) return null;
  const [, sign, whole = '', point = '', fraction = '', exponent = '', imaginary = ''] = match;
  if (whole === '' && fraction === '') return null;
  const decimals = fraction.replaceAll('_', '');
  const digits = BigInt(`${whole.replaceAll('_', '')}${decimals}`);
  return {
    digits: sign === '-' ? -digits : digits,
    decimals: decimals.length,
    isInteger: point === '' && exponent === '',
    hasPoint: point !== '',
    hasWhole: whole !== '',
    isGrouped: GROUPED.test(whole),
    tail: exponent + imaginary,
  };
}

/** The text of a literal after it was changed by so many tenths of a unit of its last digit; an int changes by whole units. */
export function changedNumber(literal: NumberLiteral, tenths: bigint): string {
  let value = literal.digits * 10n + tenths;
  let { decimals } = literal;
  if (literal.isInteger || value % 10n === 0n) value /= 10n;
  else decimals += 1;
  const size = value < 0n ? -value : value;
  const digits = size.toString().padStart(decimals + 1, '0');
  let whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals);
  if (whole === '0' && !literal.hasWhole && fraction !== '') whole = '';
  if (literal.isGrouped) whole = whole.replace(/\B(?=(\d{3})+$)/g, '_');
  const point = literal.hasPoint || decimals > 0 ? '.' : '';
  return `${value < 0n ? '-' : ''}${whole}${point}${fraction}${literal.tail}`;
}
