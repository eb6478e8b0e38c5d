// Whether a typed answer equals the computed one: the comparison of server/backscope_server/lessons/comparable.py.

import type { BoolValue, NoneValue, NumbersValue, NumberValue, TensorValue, TextValue } from '../protocol/lessons';

export type Value = NumberValue | TensorValue | NumbersValue | NoneValue | BoolValue | TextValue;
export type Num = NumberValue['number'];
export type Element = TensorValue['elements'][number];

/** How far two numbers may be apart, relative to the larger, where a lesson says nothing else. */
const TOLERANCE = 1e-4;

/** Whether two values are the same answer; numbers may be `within` of each other, by default a rounding. */
export function same(one: Value, other: Value, within: number | null = null): boolean {
  if (one.kind === 'number' && other.kind === 'number') return isClose(one.number, other.number, within);
  if (one.kind === 'tensor' && other.kind === 'tensor') {
    const isSameShape =
      one.shape.length === other.shape.length && one.shape.every((dim, at) => dim === other.shape[at]);
    return isSameShape && areClose(one.elements, other.elements, within);
  }
  const [row, like] = [rowOf(one), rowOf(other)];
  if (row && like) return areClose(row, like, within);
  if (one.kind === 'bool' && other.kind === 'bool') return one.bool === other.bool;
  if (one.kind === 'text' && other.kind === 'text') return one.text === other.text;
  return one.kind === 'none' && other.kind === 'none';
}

/** The numbers of a value that is a row: a list, or a tensor of one dim. */
function rowOf(value: Value): Element[] | null {
  if (value.kind === 'numbers') return value.numbers;
  return value.kind === 'tensor' && value.shape.length === 1 ? value.elements : null;
}

function areClose(ones: readonly Element[], others: readonly Element[], within: number | null): boolean {
  const [flat, like] = [ones.flat(), others.flat()];
  return flat.length === like.length && flat.every((one, at) => isClose(one, like[at]!, within));
}

function isClose(one: Num, other: Num, within: number | null): boolean {
  if (typeof one === 'string' || typeof other === 'string') return one === other;
  const apart = Math.abs(one - other);
  return apart <= (within ?? TOLERANCE * Math.max(Math.abs(one), Math.abs(other)));
}
