// Answers that a browser kept or a link holds, whatever is there: only those that are whole are used.

import type { PredictBlock } from '../protocol/lessons';
import type { Given } from './outcome';
import type { Value } from './same';

/** The elements of a tensor that a reader can type. */
const MOST_ELEMENTS = 256;
const MOST_TEXT = 2000;
/** The characters of a changed program. */
const MOST_SOURCE = 100_000;

type Unknown = Record<string, unknown>;

const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;
const isText = (value: unknown) => typeof value === 'string' && value.length <= MOST_TEXT;

function isNumber(value: unknown): boolean {
  return typeof value === 'number' || value === 'NaN' || value === 'Infinity' || value === '-Infinity';
}

function isRow(values: unknown, isOne: (value: unknown) => boolean): boolean {
  return Array.isArray(values) && values.length <= MOST_ELEMENTS && values.every(isOne);
}

/** Whether something is a value that can be asked for and typed. */
export function isValue(found: unknown): found is Value {
  const { kind, number, numbers, bool, text, shape, elements } = (found ?? {}) as Unknown;
  if (kind === 'none') return true;
  if (kind === 'bool') return typeof bool === 'boolean';
  if (kind === 'text') return isText(text);
  if (kind === 'number') return isNumber(number);
  const isElement = (one: unknown) => isNumber(one) || isRow(one, isNumber);
  if (kind === 'numbers') return isRow(numbers, isElement);
  return kind === 'tensor' && isRow(shape, isCount) && isRow(elements, isElement);
}

/** Whether something is an answer to a question of this form. */
export function isGiven(found: unknown, { form }: PredictBlock['question']): found is Given {
  const given = (found ?? {}) as Unknown;
  if (given.form !== form) return false;
  if (form === 'value') return isText(given.typed) && isValue(given.value);
  if (form === 'choice') return isCount(given.index);
  return form === 'node' ? isCount(given.node) : isRow(given.nodes, isCount);
}

/** A change that was reached: the program then, what the reader was told, and whether the solution had been shown before. */
export type Reached = { source: string; text: string; read: boolean };

/** Whether something is a change that was reached. */
export function isReached(found: unknown): found is Reached {
  const { source, text, read } = (found ?? {}) as Unknown;
  const isProgram = typeof source === 'string' && source.length <= MOST_SOURCE;
  return isProgram && isText(text) && typeof read === 'boolean';
}
