// The first element that is NaN or infinite, and the numbers that it comes from: `element [1, 0, 0]: 0 ÷ 0`.

import { element, shape } from '../format/number';
import { nameOf } from '../format/op-name';
import { power, symbolOf } from '../layout/symbol';
import type { Argument, OpApplied, Scalar, Summary, TensorElement } from '../protocol/events';
import { isBad } from '../protocol/finite';
import { WRITTEN } from '../protocol/sentences';
import type { RunState } from '../timeline/state';
import { say } from './say';
import { numeral, REVERSED, signOf } from './written-op';

const POINTWISE = new Set<string>(WRITTEN.pointwise);

/** The place of the first element that is not finite, among those that are known; NaN comes before infinity. */
export function firstBadPlace({ values, shape: dims }: Summary): number[] | null {
  const nan = values.findIndex((value) => parts(value).includes('NaN'));
  const at = nan >= 0 ? nan : values.findIndex((value) => parts(value).some((part) => typeof part === 'string'));
  if (at < 0) return null;
  const place: number[] = [];
  let rest = at;
  for (const dim of dims.toReversed()) {
    place.unshift(rest % dim);
    rest = Math.floor(rest / dim);
  }
  return place;
}

/** `, at element [1, 0, 0]`, where a value has more than one; empty where its place is not known. */
export function placeWords(summary: Summary): string {
  const place = firstBadPlace(summary);
  return place === null || summary.shape.every((dim) => dim === 1) ? '' : say('non_finite.at', { place: shape(place) });
}

/** What made that element, in the numbers of the op's inputs: `0 ÷ 0`, `log(0)`; null where no one element of each did. */
export function making(event: OpApplied, result: Summary, state: RunState): string | null {
  const place = firstBadPlace(result);
  if (place === null) return null;
  const operands = event.inputs
    .filter(({ name, tensor }) => tensor !== null || name === 'other' || name === 'self' || name === 'exponent')
    .map((input) => operandAt(input, place, result.shape.length, state));
  if (operands.length === 0 || operands.some((one) => one === null)) return null;
  const [left, right] = (REVERSED.test(event.op) ? operands.toReversed() : operands) as string[];
  const sign = signOf(event.op)?.replace('=', '') ?? null;
  if (operands.length === 2 && symbolOf(event.op).startsWith('^')) return power(right!, bracketed(left!));
  if (operands.length === 2 && sign !== null && sign !== '@' && sign !== '·')
    return `${left} ${sign} ${bracketed(right!)}`;
  const name = nameOf(event.op).replace(/_$/, '');
  return operands.length === 1 && POINTWISE.has(name) ? `${name}(${left})` : null;
}

/** An operand's element at a place of the result, over which it may be broadcast. */
function operandAt(input: Argument, place: readonly number[], dims: number, state: RunState): string | null {
  if (input.tensor === null) return numeral(input.text);
  const held = state.history.tensors.get(input.tensor)?.values.at(state.seq - 1) ?? state.tensor(input.tensor)?.value;
  if (!held || held.shape.length > dims) return null;
  const own = place.slice(dims - held.shape.length);
  let flat = 0;
  for (const [i, dim] of held.shape.entries()) {
    const at = dim === 1 ? 0 : own[i]!;
    if (at >= dim) return null;
    flat = flat * dim + at;
  }
  const value = held.values[flat];
  return value === undefined || isBad(held) ? null : element(value, held.dtype);
}

function bracketed(text: string): string {
  return text.startsWith('−') ? `(${text})` : text;
}

function parts(value: TensorElement): readonly (Scalar | boolean)[] {
  return Array.isArray(value) ? (value as Scalar[]) : [value as Scalar | boolean];
}
