// An op of a forward step with what it was given, and how it is written.

import { asOperand, expressionOf } from '../caption/written-op';
import type { OpApplied, Summary } from '../protocol/events';
import { own } from '../protocol/own';

/**
 * An element of an op's result; of the terms that it is made of, `term` is the one that the reader follows, where there is one.
 * Of a view, `seen` is the element of its input that is the same number, at its place there.
 */
export type Made = {
  place: readonly number[];
  term: number | null;
  seen?: { tensor: number; element: readonly number[] };
};

/** An op with what it was given and what it gave. */
export type Applied = {
  op: string;
  event: OpApplied;
  /** The value of each argument that is a tensor. */
  inputs: readonly (Summary | null)[];
  output: Summary;
  held(tensor: number): Summary | null;
};

/** Ops of which a sign stands right beside an operand: a power, an index. */
const TIGHT = /^(?:pow|square|index$|unsafe_masked_index$)/;
const SHAPED = /^(.*?)( \[[\d, ]*\])?$/s;

/** Ops that add a product to a tensor: the tensor, and the factors. */
export const ADDED: Readonly<Record<string, readonly [string, string, string]>> = {
  addmm: ['self', 'mat1', 'mat2'],
  addmv: ['self', 'mat', 'vec'],
  baddbmm: ['self', 'batch1', 'batch2'],
};

/** A text without brackets around the number that it begins with, and with one sign where a number is subtracted. */
export function tidy(text: string): string {
  return text
    .replace(/^\((−[\d.e−]+)\)(?= )/, '$1')
    .replace(/ \+ −(?=\d)/g, ' − ')
    .replace(/ − −(?=\d)/g, ' + ');
}

/** The op with a text for each of its tensors; null where one has none. */
export function expressionIn(op: string, event: OpApplied, text: (tensor: number) => string | null): string | null {
  let isMissing = false;
  const write = (tensor: number): string => {
    const written = text(tensor);
    isMissing ||= written === null;
    return written ?? '';
  };
  const operand = (tensor: number): string => {
    const [, text = '', dims = ''] = SHAPED.exec(write(tensor))!;
    const written = `${bracketed(asOperand(text))}${dims}`;
    return TIGHT.test(op) && dims ? `(${written})` : written;
  };
  const added = own(ADDED, op)?.map((name) => event.inputs.find((input) => input.name === name)?.tensor ?? null);
  const isPlain = ['alpha', 'beta'].every((name) => Number(textOf(event, name) ?? 1) === 1);
  if (added && isPlain && added.every((tensor) => tensor !== null)) {
    const [self, one, other] = added.map((tensor, i) => (i === 0 ? write : operand)(tensor!));
    return isMissing ? null : `${self} + ${one} @ ${other}`;
  }
  const expression = expressionOf(op, event.inputs, write, operand);
  return isMissing ? null : expression;
}

/** The text of an argument that is no tensor; null without one. */
export function textOf({ inputs }: OpApplied, name: string): string | null {
  return inputs.find((input) => input.name === name)?.text ?? null;
}

/** A number in brackets where it has a sign. */
export function bracketed(text: string): string {
  return text.startsWith('−') ? `(${text})` : text;
}
