// The history of each leaf's `.grad`: the gradients that arrived, and in-place changes by the program.

import type { GradAccumulated, GradCleared, OptimizerStepped, Summary, TensorMutated } from '../protocol/events';
import { EMPTY, Series } from './series';

/**
 * A change of a leaf's `.grad`: what it holds afterwards, null for None; the layer that this change laid on it, null
 * for none; and how many layers lie on it now.
 */
export type GradChange = {
  event: GradAccumulated | GradCleared | TensorMutated | OptimizerStepped;
  value: Summary | null;
  layer: Summary | null;
  layers: number;
};

/** The changes of every `.grad`, kept up event by event. */
export class Gradients {
  readonly #changes = new Map<number, Series<GradChange>>();
  /** The leaves whose `.grad` a storage holds now, each with that tensor, and the storage of each leaf's. */
  readonly #held = new Map<number, Map<number, number>>();
  readonly #storages = new Map<number, number>();
  /** The leaves whose `.grad` an event changed in place. */
  readonly #changed = new Map<number, number[]>();

  /** `known` gives the record of a tensor that some event has brought. */
  constructor(readonly known: (tensor: number) => { storage: number; base: number | null } | undefined) {}

  /** The changes of one leaf's `.grad`, in order. */
  of(tensor: number): Series<GradChange> {
    return this.#changes.get(tensor) ?? EMPTY;
  }

  /** The leaves whose `.grad` was changed in place by event `seq`. */
  changedBy(seq: number): readonly number[] {
    return this.#changed.get(seq) ?? [];
  }

  /** Takes a gradient that arrived. */
  accumulated(event: GradAccumulated): void {
    const { tensor, before, after, added } = event;
    if (before) this.#see(event, tensor, before);
    const { last } = this.of(tensor);
    const earlier = isEmpty(before) ? 0 : Math.max(1, last?.layers ?? 0);
    this.#push(tensor, { event, value: after, layer: added, layers: earlier + 1 });
    this.#let(tensor);
    const storage = this.known(event.grad)?.storage;
    if (storage === undefined) return;
    this.#storages.set(tensor, storage);
    const leaves = this.#held.get(storage) ?? new Map<number, number>();
    this.#held.set(storage, leaves.set(tensor, event.grad));
  }

  /** Takes that `.grad` was emptied or replaced. */
  cleared(event: GradCleared): void {
    this.#let(event.tensor);
    const value = event.how === 'none' ? null : event.value;
    this.#replace(event, event.tensor, value);
  }

  /** Takes a change in place of any tensor. */
  mutated(event: TensorMutated): void {
    const leaves = this.#held.get(event.storage);
    if (!leaves?.size) return;
    for (const [leaf, grad] of leaves) {
      const before = this.of(leaf).last?.value;
      if (before) this.#replace(event, leaf, this.#valueAfter(event, grad, before));
    }
    this.#changed.set(event.seq, [...leaves.keys()]);
  }

  /** Takes the gradients that an optimizer used. */
  stepped(event: OptimizerStepped): void {
    for (const { tensor, grad } of event.updates) if (grad) this.#see(event, tensor, grad);
  }

  /** Takes the value of a `.grad` whose elements were not known. */
  #see(event: GradAccumulated | OptimizerStepped, leaf: number, value: Summary): void {
    const { last } = this.of(leaf);
    if (last?.value && isUnknown(last.value)) this.#replace(event, leaf, value);
  }

  #replace(event: GradChange['event'], leaf: number, value: Summary | null): void {
    const layer = value && !isZero(value) ? value : null;
    this.#push(leaf, { event, value, layer, layers: layer ? 1 : 0 });
  }

  #push(leaf: number, change: GradChange): void {
    const series = this.#changes.get(leaf) ?? new Series();
    if (!series.last) this.#changes.set(leaf, series);
    series.push(change.event.seq, change);
  }

  #let(leaf: number): void {
    const storage = this.#storages.get(leaf);
    if (storage === undefined) return;
    this.#held.get(storage)?.delete(leaf);
    this.#storages.delete(leaf);
  }

  /** What a gradient holds after a change of its storage: by the changed tensor, if that has all of its elements. */
  #valueAfter({ tensor, value }: TensorMutated, grad: number, before: Summary): Summary {
    if (tensor === grad) return value;
    // A gradient that is itself a part of its storage may lie elsewhere in it than what was changed.
    const isWhole = this.known(grad)?.base === null && countOf(value.shape) === countOf(before.shape);
    if (!isWhole) return unknown(before);
    const { shape, strides } = before;
    if (same(shape, value.shape) && same(strides, value.strides)) return value;
    if (value.values.length < countOf(shape)) return unknown(before);
    const places = new Map(offsets(value).map((offset, i) => [offset, value.values[i]!]));
    const values = offsets(before).map((offset) => places.get(offset));
    if (values.some((element) => element === undefined)) return unknown(before);
    return { ...value, shape, strides, values: values as Summary['values'] };
  }
}

/** Whether a tensor holds nothing but zeros. */
export function isZero(summary: Summary): boolean {
  return summary.norm === 0 && summary.nan_count === 0;
}

/** Returns whether a `.grad` holds no gradient: it is None, or nothing but zeros. */
export function isEmpty(value: Summary | null): boolean {
  return value === null || isZero(value);
}

/** Whether only the shape of a tensor is known, because a part of it was changed. */
export function isUnknown(summary: Summary): boolean {
  return summary.values.length === 0 && countOf(summary.shape) > 0;
}

function unknown(before: Summary): Summary {
  return { ...before, min: null, max: null, mean: null, norm: null, nan_count: 0, inf_count: 0, values: [] };
}

function countOf(shape: readonly number[]): number {
  return shape.reduce((product, dim) => product * dim, 1);
}

function same(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((entry, i) => entry === b[i]);
}

/** Where the elements lie in the storage, in row-major order, from the first. */
function offsets({ shape, strides }: Summary): number[] {
  return shape.reduce<number[]>(
    (starts, dim, i) => starts.flatMap((start) => Array.from({ length: dim }, (_, at) => start + at * strides[i]!)),
    [0],
  );
}
