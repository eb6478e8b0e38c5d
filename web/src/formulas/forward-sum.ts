// The sum of a forward step: what an op makes of its inputs, in the reader's names and with this step's numbers.

import type { Naming } from '../caption/naming';
import { broadcastAt, elementCount, ravel } from '../facts/elements';
import { isolated } from '../format/bidi';
import { gradient, number, shape, typedShape, values } from '../format/number';
import { mostExtreme } from '../origins/element-place';
import type { OpApplied, Summary } from '../protocol/events';
import { own } from '../protocol/own';
import type { OpEntry } from '../run/api';
import type { RunState } from '../timeline/state';
import { comesTo, elementSum, elementText, factorsAt, termsOf } from './forward-element';
import { type Applied, bracketed, expressionIn, type Made, textOf, tidy } from './forward-op';
import { operandName } from './operand-name';
import { reduced, reductionOf } from './reduction';
import { asShown, fits, isShownAs, MOST_CHARS, MOST_ELEMENTS, MOST_SIZED, placed, type Sum } from './sum-text';

/** What an op makes of single numbers. */
type Pointwise = (numbers: readonly number[], alpha: number) => number;

const POINTWISE: Readonly<Record<string, Pointwise>> = {
  add: ([a, b], alpha) => a! + alpha * b!,
  sub: ([a, b], alpha) => a! - alpha * b!,
  rsub: ([a, b], alpha) => b! - alpha * a!,
  mul: ([a, b]) => a! * b!,
  div: ([a, b]) => a! / b!,
  pow: ([a, b]) => a! ** b!,
  neg: ([a]) => -a!,
  exp: ([a]) => Math.exp(a!),
  log: ([a]) => Math.log(a!),
  sqrt: ([a]) => Math.sqrt(a!),
  sin: ([a]) => Math.sin(a!),
  cos: ([a]) => Math.cos(a!),
  tan: ([a]) => Math.tan(a!),
  tanh: ([a]) => Math.tanh(a!),
  sigmoid: ([a]) => 1 / (1 + Math.exp(-a!)),
  relu: ([a]) => (a! > 0 || Number.isNaN(a!) ? a! : 0),
  abs: ([a]) => Math.abs(a!),
  square: ([a]) => a! * a!,
  reciprocal: ([a]) => 1 / a!,
  maximum: ([a, b]) => Math.max(a!, b!),
  minimum: ([a, b]) => Math.min(a!, b!),
};
/** Terms of a sum, and elements of a tensor, that are written out. */
const MOST_TERMS = 4;
const MOST_FACTORS = 3;
/** Of a tensor of more elements, one says little. */
const MOST_SMALL = 64;
/** What an op multiplies or adds is in these arguments. */
const OPERANDS = new Set(['self', 'other', 'exponent']);
/** Ops that only pass on what they get, and what runs a part of the program. */
const SILENT = new Set([
  'clone',
  'copy',
  'copy_in_layout',
  'fw_primal',
  'zero',
  'BackwardHookFunction',
  'CheckpointFunction',
]);

/**
 * The sum of an op that a step applied, with the numbers of the element `followed` of its result where there is one; null where it
 * computes nothing that is shown.
 */
export function forwardSum(
  event: OpApplied,
  state: RunState,
  naming: Naming,
  ops: readonly OpEntry[],
  followed: Made | null = null,
): Sum | null {
  const op = event.op.replace(/(?<=.)_$/, '');
  const output = event.outputs[0]?.value;
  if (!output || output.dtype.endsWith('bool') || output.values.length === 0) return null;
  if (event.is_view) return viewSum(output, naming, followed);
  if (SILENT.has(op)) return null;
  // An op in place has changed its input in this step.
  const start = state.events[0]!.seq - 1;
  const before = (tensor: number) =>
    (state.tensorAt(tensor, start) ?? state.tensorAt(tensor, event.seq))?.value ?? null;
  const inputs = event.inputs.map((input) => (input.tensor === null ? null : before(input.tensor)));
  if (inputs.every((input) => input === null)) return null;
  const applied: Applied = { op, event, inputs, output, held: before };
  const isOne = output.shape.length === 0;
  if (followed && (!isOne || followed.term !== null)) {
    const sum = elementSum(applied, followed, isElementwise(op, ops)) ?? joinedSum(applied, naming, followed.place);
    if (sum || !isOne) return sum ?? sizesOf(applied, naming, followed.place);
  }
  const figures = pointwiseText(applied) ?? reducedText(applied) ?? productText(applied);
  const result = values(output, MOST_ELEMENTS);
  const whole = figures !== null && result !== null ? fits([tidy(figures), tidy(result)]) : null;
  const sum = whole ? { parts: whole, arrow: null, to: '' } : leadingSum(applied, naming, ops);
  if (!sum) return sizesOf(applied, naming);
  if (!whole && !isOne) return sum;
  // What an op in place changes has its new number there, where it has no name.
  const changed = event.in_place ? (event.inputs[0]?.tensor ?? null) : null;
  if (changed !== null && naming.variable(changed) === null) return sum;
  const expression = tidy(naming.expression(op, event.inputs));
  // What has no name is in the expression as its number.
  return expression === sum.parts[0] ? sum : { ...sum, parts: fits([isolated(expression), ...sum.parts]) ?? sum.parts };
}

/** `[0, 1]: 2 × 3`, `6`: the element of a small result that says most; null where its numbers are not known, or it is one of many. */
function leadingSum(applied: Applied, naming: Naming, ops: readonly OpEntry[]): Sum | null {
  const { op, output } = applied;
  if (elementCount(output.shape) !== output.values.length || output.values.length > MOST_SMALL) return null;
  // The last of running sums is made of most.
  const place = op.startsWith('cum') ? output.shape.map((size) => size - 1) : mostExtreme(output);
  if (own(POINTWISE, op) && !holdsAt(applied, place)) return null;
  const isSmall = values(output, MOST_SIZED) !== null;
  const sum =
    elementSum(applied, { place, term: null }, isElementwise(op, ops)) ??
    (isSmall ? null : joinedSum(applied, naming, place));
  return sum && sum.parts.length > 1 ? sum : null;
}

/** `[1, 3]: b[1, 0]`, `4`: an element of joined tensors by the one that it comes from; null for any other op. */
function joinedSum({ op, event, inputs, output }: Applied, naming: Naming, place: readonly number[]): Sum | null {
  const result = elementText(output, place);
  if ((op !== 'cat' && op !== 'stack') || result === null) return null;
  const given = Number(textOf(event, 'dim'));
  const dim = given < 0 ? given + place.length : given;
  let rest = place[dim]!;
  for (const [i, value] of inputs.entries()) {
    const { tensor } = event.inputs[i]!;
    if (tensor === null) continue;
    // What comes after a tensor of unknown size is at no known place.
    if (!value) return null;
    // An empty tensor without dims may be joined with any.
    if (elementCount(value.shape) === 0) continue;
    const size = op === 'stack' ? 1 : value.shape[dim]!;
    if (rest >= size) {
      rest -= size;
      continue;
    }
    const from = op === 'stack' ? place.toSpliced(dim, 1) : place.with(dim, rest);
    const name = operandName(naming, tensor);
    if (name === null || elementText(value, from) !== result) return null;
    const parts = placed(place, `${name}${from.length > 0 ? shape(from) : ''}`, result);
    return parts && { parts, arrow: null, to: '' };
  }
  return null;
}

/** Whether the numbers that an op is written with at a place come to its result there. */
function holdsAt({ op, event, inputs, output }: Applied, place: readonly number[]): boolean {
  const compute = own(POINTWISE, op)!;
  const alpha = Number(textOf(event, 'alpha') ?? 1);
  const numbers = event.inputs.flatMap(({ name, text }, i) => {
    if (!OPERANDS.has(name)) return [];
    const value = inputs[i];
    const at = value ? broadcastAt(place, value.shape) : null;
    return [Number(value && at !== null ? (value.values[at] ?? Number.NaN) : text)];
  });
  return isReadAs((own) => compute(own, alpha), numbers, output, ravel([...place], output.shape));
}

function isElementwise(op: string, ops: readonly OpEntry[]): boolean {
  return ops.some(({ name, elementwise }) => elementwise && name === op);
}

/** `x[0, 1]`, which leads to `[1, 0]: 2`: an element at its other place in a view; null where none is followed to one. */
function viewSum(output: Summary, naming: Naming, followed: Made | null): Sum | null {
  const { place, seen } = followed ?? {};
  const one = place && elementText(output, place);
  if (!one || !seen || place.join() === seen.element.join()) return null;
  const name = naming.variable(seen.tensor);
  const from = `${name === null ? '' : isolated(name)}${shape(seen.element)}`;
  return { parts: [from], arrow: `${place.length > 0 ? `${shape(place)}: ` : ''}${one}`, to: '' };
}

/** `2 × 3`, `[1, 2] × [3, 4]`: an op on each element by itself, with its numbers; null where they do not come to its result. */
function pointwiseText({ op, event, inputs, output, held }: Applied): string | null {
  const compute = own(POINTWISE, op);
  const { shape: dims } = output;
  const count = output.values.length;
  if (!compute || count > MOST_TERMS || elementCount(dims) !== count) return null;
  if ((textOf(event, 'rounding_mode') ?? 'None') !== 'None') return null;
  const alpha = Number(textOf(event, 'alpha') ?? 1);
  const columns = event.inputs.flatMap(({ name, text }, i) => {
    if (!OPERANDS.has(name)) return [];
    const value = inputs[i];
    return [value ? numbersOf(value, dims) : text === null ? null : [Number(text)]];
  });
  if (columns.includes(null)) return null;
  for (let at = 0; at < count; at += 1) {
    const own = columns.map((column) => (column!.length === 1 ? column![0]! : column![at]!));
    if (!isReadAs((numbers) => compute(numbers, alpha), own, output, at)) return null;
  }
  return expressionIn(op, event, (tensor) => {
    const value = held(tensor);
    return value && values(value, MOST_ELEMENTS);
  });
}

/** `1 + 2 + 3`, `(1 + 2) / 2`: an op on all elements of its tensor; null where they do not come to its result. */
function reducedText({ op, event, inputs, output }: Applied): string | null {
  const reduction = reductionOf({ ...event, op });
  const [held] = inputs;
  if (!reduction || !held || output.values.length !== 1) return null;
  if (held.values.length < 2 || held.values.length > MOST_TERMS) return null;
  const numbers = numbersOf(held, held.shape);
  if (!numbers || !isReadAs((shown) => reduced(reduction, shown), numbers, output, 0)) return null;
  const terms = numbers.map((one, i) => (op === 'prod' && i > 0 ? bracketed(number(one)) : number(one)));
  return reduction.write(terms, terms.length).replaceAll('+ −', '− ');
}

/** `1 × 3 + 2 × 4`: the single element of a product; null where it has several, or is another number. */
function productText(applied: Applied): string | null {
  const { output } = applied;
  if (output.values.length !== 1 || elementCount(output.shape) !== 1) return null;
  const factors = factorsAt(
    applied,
    output.shape.map(() => 0),
  );
  if (!factors || factors.length > MOST_FACTORS) return null;
  const compute = (numbers: readonly number[]) =>
    factors.reduce((total, _, i) => total + numbers[2 * i]! * numbers[2 * i + 1]!, 0);
  return isReadAs(compute, factors.flat(), output, 0) ? termsOf(factors).join(' + ') : null;
}

/** `x [8, 1] @ W [1, 4]`, which leads to `[8, 4] ‖2.1‖`: the op with the shapes that it was given, and the size of what it gave. */
function sizesOf(
  { op, event, inputs, output, held }: Applied,
  naming: Naming,
  followed: readonly number[] | null = null,
): Sum | null {
  const sized = (withShapes: boolean) =>
    expressionIn(op, event, (tensor) => {
      const value = held(tensor);
      if (!value) return null;
      const elements = values(value, MOST_SIZED);
      if (elements !== null) return elements;
      const name = operandName(naming, tensor);
      if (name === null) return typedShape(value);
      return withShapes ? `${name} ${shape(value.shape)}` : name;
    });
  const text =
    [sized(true), sized(false)].find((one) => one !== null && [...one].length <= MOST_CHARS) ?? cut(sized(false));
  if (text === null) return null;
  const isSame = output.values.length === 1 || inputs.some((input) => input?.shape.join() === output.shape.join());
  const one = followed && elementText(output, followed);
  if (one) return { parts: [tidy(text)], arrow: `${shape(followed)}: ${one}`, to: '' };
  const size = values(output, MOST_SIZED) ?? `${isSame ? '' : `${shape(output.shape)} `}${gradient(output, 0)}`;
  return { parts: [tidy(text)], arrow: size, to: '' };
}

/** A call without its last arguments. */
function cut(text: string | null): string | null {
  const kept = text?.slice(0, MOST_CHARS - 3).replace(/,[^,]*$/, '');
  return kept && /^[\w.]+\(/.test(kept) ? `${kept}, …)` : null;
}

/** Whether numbers come to an element of a result: as they are, and as a reader works them out from what is shown. */
function isReadAs(
  compute: (numbers: readonly number[]) => number,
  numbers: readonly number[],
  output: Summary,
  at: number,
): boolean {
  if (!comesTo(compute(numbers), numbers, output, at)) return false;
  const shown = numbers.map(asShown);
  return isShownAs(compute(shown), Number(output.values[at]), shown);
}

/** All numbers of a tensor, or its only one; null where it is of another shape, or complex. */
function numbersOf({ values: held, shape: own }: Summary, dims: readonly number[]): number[] | null {
  if (held.length === 0 || held.some(Array.isArray) || held.length !== elementCount(own)) return null;
  return held.length === 1 || own.join() === dims.join() ? held.map(Number) : null;
}
