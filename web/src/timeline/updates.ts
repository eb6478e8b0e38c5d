// Changes of parameters in a step, by an optimizer or by the program's own code.

import type { Event, OpApplied, ParameterUpdate, Summary, TensorElement, TensorMutated } from '../protocol/events';
import type { History } from './history';
import type { RunState } from './state';

/** A parameter before and after; `descent` where it is what it was less a rate times its gradient, `change` the norm of what was added. */
export type Update = {
  tensor: number;
  before: Summary;
  after: Summary;
  change: number | null;
  descent: { rate: number; grad: Summary } | null;
  /** The optimizer whose step it was. */
  stepped: Stepped | null;
};

/** What an optimizer went by: its options, the gradient, what it remembers of the parameter, and what it did before this step. */
export type Stepped = {
  optimizer: string;
  rate: number;
  options: Readonly<Record<string, string>>;
  grad: Summary;
  state: ParameterUpdate['state'];
  earlier: ParameterUpdate['state'] | null;
};

type Slope = { rate: number; grad: Summary };

const TOLERANCE = 1e-5;

/** What was found in a state, which many parts of a scene ask for. */
const found = new WeakMap<RunState, readonly Update[]>();

/** The parameters that a step moved, in order. */
export function updatesIn(state: RunState): readonly Update[] {
  const known = found.get(state) ?? read(state);
  found.set(state, known);
  return known;
}

function read(state: RunState): Update[] {
  const made = new Map<number, Update>();
  for (const event of state.events) {
    if (event.kind === 'optimizer_stepped') {
      for (const { tensor, group, before, after, grad, change, state: held } of event.updates) {
        const { lr: rate, options = {} } = event.groups[group] ?? {};
        const slope = typeof rate === 'number' && grad ? { rate, grad } : null;
        const stepped = slope && {
          optimizer: event.optimizer,
          ...slope,
          options,
          state: held,
          earlier: state.history.stepped.get(tensor)?.at(event.seq - 1)?.state ?? null,
        };
        const norm = typeof change?.norm === 'number' ? change.norm : changeOf(before, after);
        made.set(tensor, { tensor, before, after, change: norm, descent: fitting(slope, before, after), stepped });
      }
      return [...made.values()];
    }
    if (event.kind !== 'tensor_mutated') continue;
    const update = byHand(event, state);
    if (update) made.set(event.tensor, update);
  }
  return [...made.values()];
}

/** What the program did to a leaf that has a gradient, as `w -= lr * w.grad` does. */
function byHand(event: TensorMutated, { history, events }: RunState): Update | null {
  const { tensor, value: after, seq } = event;
  const own = history.tensors.get(tensor);
  const before = own?.values.at(seq - 1);
  const grad = own?.grads.at(seq)?.value;
  if (!own?.isLeaf || !own.requiresGrad.at(seq) || !before || !grad || same(before, after)) return null;
  const slope = fitting(slopeOf(event, events, grad, history), before, after);
  const change = changeOf(before, after) ?? (slope && typeof grad.norm === 'number' ? slope.rate * grad.norm : null);
  return { tensor, before, after, change: change === null ? null : Math.abs(change), descent: slope, stepped: null };
}

/** The rate at which the op that changed a leaf takes its gradient: by `alpha`, or by what made its argument. */
function slopeOf(event: TensorMutated, events: readonly Event[], grad: Summary, history: History): Slope | null {
  const changed = event.through ?? event.tensor;
  const op = events.find(
    (one): one is OpApplied => one.kind === 'op_applied' && one.in_place && one.outputs[0]?.tensor === changed,
  );
  const sign = op?.op === 'sub_' ? 1 : op?.op === 'add_' ? -1 : 0;
  const other = op?.inputs.find(({ name }) => name === 'other')?.tensor ?? null;
  if (sign === 0 || other === null) return null;
  const alpha = Number(op?.inputs.find(({ name }) => name === 'alpha')?.text ?? 1);
  if (isGradOf(event.tensor, other, history)) return { rate: sign * alpha, grad };
  const made = history.tensors.get(other)?.op;
  if (
    made?.op !== 'mul' ||
    !made.inputs.some((one) => one.tensor !== null && isGradOf(event.tensor, one.tensor, history))
  )
    return null;
  const factor = Number(made.inputs.find((one) => one.text !== null)?.text ?? Number.NaN);
  return Number.isFinite(factor) ? { rate: sign * alpha * factor, grad } : null;
}

/** Whether a tensor is the `.grad` of a leaf, or lies where it lies, as `w.grad.data` does. */
function isGradOf(leaf: number, tensor: number, history: History): boolean {
  if (history.gradOf.get(tensor) === leaf) return true;
  const storage = history.tensors.get(tensor)?.storage;
  for (const [grad, of] of history.gradOf) {
    if (of === leaf && history.tensors.get(grad)?.storage === storage) return true;
  }
  return false;
}

/** A slope that leads from one value to the other in all elements that are known. */
function fitting(slope: Slope | null, before: Summary, after: Summary): Slope | null {
  if (!slope) return null;
  const { rate, grad } = slope;
  const count = Math.min(before.values.length, after.values.length, grad.values.length);
  if (count === 0) return null;
  // Numbers of low precision are farther apart.
  const near = /16$/.test(after.dtype) ? 1e-2 : TOLERANCE;
  for (let i = 0; i < count; i += 1) {
    const [was, is, by] = [before, after, grad].map(({ values }) => numbersOf(values[i]!));
    const isOff = is!.some((one, part) => {
      const [from, taken] = [was![part] ?? Number.NaN, rate * (by![part] ?? Number.NaN)];
      const made = from - taken;
      return !Object.is(made, one) && !(Math.abs(made - one) <= near * Math.max(...[from, one, taken].map(Math.abs)));
    });
    if (isOff) return null;
  }
  return slope;
}

/** An element as numbers, of a complex one both parts. */
function numbersOf(element: TensorElement): number[] {
  return Array.isArray(element) ? element.map(Number) : [Number(element)];
}

/** The norm of a change, where all elements are known. */
function changeOf(before: Summary, after: Summary): number | null {
  const count = after.shape.reduce((product, dim) => product * dim, 1);
  if (before.values.length !== count || after.values.length !== count) return null;
  let sum = 0;
  for (const [i, is] of after.values.entries()) {
    const was = before.values[i];
    if (typeof was !== 'number' || typeof is !== 'number') return null;
    sum += (is - was) ** 2;
  }
  return Math.sqrt(sum);
}

/** Whether two values look alike in all that is known of them. */
function same(one: Summary, other: Summary): boolean {
  return one.norm === other.norm && JSON.stringify(one.values) === JSON.stringify(other.values);
}
