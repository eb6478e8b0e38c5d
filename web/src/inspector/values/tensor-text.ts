// A tensor as text to be taken elsewhere: as PyTorch prints it, as Python that makes it again, as CSV.

import { unravel, type ValueElement } from '../../facts/elements';
import { isComplex, isFloating, printed } from './printed';

export type Whole = { shape: readonly number[]; dtype: string; values: readonly ValueElement[] };
export type Form = 'text' | 'python' | 'csv';

/** The tensor in a form. */
export function written(whole: Whole, form: Form): string {
  return { text: asText, python: asPython, csv: asCsv }[form](whole);
}

function name(dtype: string): string {
  return dtype.replace('torch.', '');
}

function asText({ shape, dtype, values }: Whole): string {
  const write = printed(values, dtype);
  const texts = values.map((value) => write(value).replaceAll('−', '-'));
  const width = Math.max(0, ...texts.map((text) => text.length));
  const body = nested(
    shape,
    texts.map((text) => (shape.length > 0 ? text.padStart(width) : text)),
    'tensor('.length,
  );
  const isDefault = ['float32', 'int64', 'bool', 'complex64'].includes(name(dtype)) && values.length > 0;
  const size = values.length === 0 && shape.length !== 1 ? `, size=(${shape.join(', ')})` : '';
  const suffix = isDefault || (values.length === 0 && name(dtype) === 'float32') ? '' : `, dtype=torch.${name(dtype)}`;
  return `tensor(${body}${size}${suffix})`;
}

function asPython({ shape, dtype, values }: Whole): string {
  const type = `dtype=torch.${name(dtype)}`;
  if (values.length === 0) return `torch.empty((${shape.join(', ')}${shape.length === 1 ? ',' : ''}), ${type})`;
  const body = nested(
    shape,
    values.map((value) => literal(value, dtype)),
    'torch.tensor('.length,
  );
  return `torch.tensor(${body}, ${type})`;
}

function literal(element: ValueElement, dtype: string): string {
  if (Array.isArray(element)) return `complex(${real(element[0]!)}, ${real(element[1]!)})`;
  if (/bool/.test(dtype)) return element ? 'True' : 'False';
  return isFloating(dtype) || isComplex(dtype) ? real(element) : String(element);
}

function real(element: ValueElement): string {
  if (typeof element === 'string')
    return { NaN: "float('nan')", Infinity: "float('inf')", '-Infinity': "float('-inf')" }[element];
  if (Object.is(element, -0)) return '-0.0';
  const text = String(element);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

/** Elements in the brackets of their shape, the rows beneath each other from a column on. */
function nested(shape: readonly number[], texts: readonly string[], column: number): string {
  if (shape.length === 0) return texts[0]!;
  if (texts.length === 0) return '[]';
  const [size, ...inner] = shape;
  if (inner.length === 0) return `[${texts.join(', ')}]`;
  const each = texts.length / size!;
  const parts = Array.from({ length: size! }, (_, at) =>
    nested(inner, texts.slice(at * each, (at + 1) * each), column + 1),
  );
  return `[${parts.join(`,${'\n'.repeat(inner.length)}${' '.repeat(column + 1)}`)}]`;
}

function asCsv({ shape, dtype, values }: Whole): string {
  const cells = values.map((value) => field(value, dtype));
  if (shape.length < 2) return cells.map((cell) => `${cell}\n`).join('');
  if (shape.length === 2) {
    const width = shape[1]!;
    return Array.from(
      { length: shape[0]! },
      (_, row) => `${cells.slice(row * width, (row + 1) * width).join(',')}\n`,
    ).join('');
  }
  const head = `${shape.map((_, dim) => `dim ${dim}`).join(',')},value\n`;
  return head + cells.map((cell, index) => `${unravel(index, shape).join(',')},${cell}\n`).join('');
}

function field(element: ValueElement, dtype: string): string {
  if (Array.isArray(element)) {
    const [re, im] = element.map((part) => field(part, dtype));
    return `${re}${im!.startsWith('-') ? '' : '+'}${im}j`;
  }
  if (typeof element === 'string') return { NaN: 'nan', Infinity: 'inf', '-Infinity': '-inf' }[element];
  if (/bool/.test(dtype)) return element ? 'True' : 'False';
  return Object.is(element, -0) ? '-0.0' : String(element);
}
