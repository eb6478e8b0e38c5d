// The course of a training: the losses that backward passes began from, and the gradient norms of parameters.

import { Curve } from '../curves/curve';
import type { Scalar, Summary, TensorElement } from '../protocol/events';
import { isBad } from '../protocol/finite';
import type { History } from '../timeline/history';
import { nameAt } from '../timeline/state';

/** A loss: its variable, the line of its backward pass, and its value at each pass. */
export type Loss = { key: string; name: string; tensor: number; curve: Curve };
/** A parameter and the norms that its `.grad` had from events on: NaN for what is not finite, null where it was cleared. */
export type Norms = { tensor: number; name: string; seqs: number[]; norms: (number | null)[] };

/** Losses that differ by what they are called or by where their pass begins are several; more are not distinguished at a glance. */
const MOST_LOSSES = 6;

/** The losses of the loops of a program: roots with one element of passes that one place in a loop began again and again. */
export function lossesOf(history: History): Loss[] {
  const found = new Map<string, Loss & { passes: number }>();
  for (const { event } of history.calls) {
    const [root] = event.roots;
    const tensor = root === undefined ? undefined : history.tensors.get(root);
    const value = tensor?.values.at(event.seq);
    if (!tensor || !value || event.parent !== null || event.roots.length > 1) continue;
    if (value.shape.some((dim) => dim !== 1) || history.whereabouts.roundsAt(event.seq).length === 0) continue;
    const figure = scalar(value.values[0]);
    if (figure === null) continue;
    const name = nameAt(tensor, event.seq) ?? tensor.origin;
    const key = `${event.line}/${name}`;
    let loss = found.get(key);
    if (!loss) {
      loss = { key, name, tensor: tensor.tensor, curve: new Curve(), passes: 0 };
      found.set(key, loss);
    }
    loss.passes += 1;
    // It has its value since its op ran, which is before the pass.
    const made = tensor.values.seqs[tensor.values.count(event.seq) - 1]!;
    loss.curve.add(Math.max(made, (loss.curve.seqs.at(-1) ?? -1) + 1), figure, null);
  }
  return [...found.values()].filter(({ passes }) => passes > 1).slice(0, MOST_LOSSES);
}

function scalar(element: TensorElement | undefined): Scalar | null {
  return typeof element === 'number' || typeof element === 'string' ? element : null;
}

/** The leaves that a gradient arrived at, in the order of their birth. */
export function normsOf(history: History): Norms[] {
  const paths = history.whereabouts.parameterPaths();
  const found: Norms[] = [];
  for (const [tensor, own] of history.tensors) {
    if (!own.isLeaf || own.grads.entries.length === 0) continue;
    const name = paths.get(tensor)?.[0] ?? nameAt(own, Number.POSITIVE_INFINITY) ?? own.origin;
    const one: Norms = { tensor, name, seqs: [], norms: [] };
    own.grads.entries.forEach(({ value }, i) => {
      const norm = value && normOf(value);
      if (value && norm === null) return; // Its elements are not known.
      one.seqs.push(own.grads.seqs[i]!);
      one.norms.push(norm);
    });
    found.push(one);
  }
  return found;
}

function normOf(value: Summary): number | null {
  if (isBad(value)) return Number.NaN;
  return value.norm === null ? null : Number(value.norm);
}

/** The least and the most of all norms that are more than zero; null without any. */
export function rangeOf(all: readonly Norms[]): { least: number; most: number } | null {
  let least = Number.POSITIVE_INFINITY;
  let most = 0;
  for (const { norms } of all) {
    for (const norm of norms) {
      if (norm === null || !(norm > 0)) continue;
      least = Math.min(least, norm);
      most = Math.max(most, norm);
    }
  }
  return most > 0 ? { least, most } : null;
}

/** The largest norm in each column of a drawing, NaN before all; `ends` has the last event of each, in order. */
export function columnsOf({ seqs, norms }: Norms, ends: readonly number[]): (number | null)[] {
  let index = -1;
  return ends.map((end) => {
    let most: number | null = index < 0 ? null : norms[index]!;
    while (index + 1 < seqs.length && seqs[index + 1]! <= end) {
      index += 1;
      const norm = norms[index]!;
      most = most === null || norm === null ? (norm ?? most) : Math.max(most, norm);
    }
    return most;
  });
}

/** The norm that a `.grad` had by an event; null before the first and where it was cleared. */
export function normAt({ seqs, norms }: Norms, seq: number): number | null {
  let low = 0;
  let high = seqs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (seqs[middle]! <= seq) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? null : norms[low - 1]!;
}
