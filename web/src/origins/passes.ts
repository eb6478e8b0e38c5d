// The backward passes that an element of a gradient is the sum of, read from the log.

import { elementCount, ravel } from '../facts/elements';
import * as say from '../messages/origins';
import type { Event, Summary, TensorElement } from '../protocol/events';
import type { Pass } from './tree';

/** The element of a summary that holds every element; null of one that does not, or has another shape. */
export function elementOf(summary: Summary | null, element: readonly number[]): TensorElement | null {
  if (!summary || summary.shape.length !== element.length) return null;
  if (summary.values.length !== elementCount(summary.shape)) return null;
  return summary.values[ravel(element, summary.shape)] ?? null;
}

export type Passes = {
  passes: Pass[];
  /** What `.grad` held of the element before the first of them, and who put it there; null where it held nothing. */
  before: { value: TensorElement; by: string } | null;
  /** What it held after the last of them; null where that is not known. */
  after: TensorElement | null;
};

const NONE: Passes = { passes: [], before: null, after: null };

/** The passes that make an element of a tensor's `.grad` as it is after the last of some events about the tensor. */
export function passesOf(events: readonly Event[], tensor: number, element: readonly number[]): Passes {
  let found = NONE;
  let last: Summary | null = null;
  for (const event of events) {
    if (event.kind === 'grad_accumulated' && event.tensor === tensor) {
      const { call, node, seq, before } = event;
      if (before === null || before.norm === 0) found = NONE;
      else if (last === null || JSON.stringify(last) !== JSON.stringify(before)) {
        const value = elementOf(before, element);
        const by = last === null ? (found.before?.by ?? say.theProgram) : say.aChangeInPlace;
        found = { ...NONE, before: value === null ? null : { value, by } };
      }
      const pass = { call, node, output: 0, added: elementOf(event.added, element), seq };
      found = { ...found, passes: [...found.passes, pass], after: elementOf(event.after, element) };
      last = event.after;
    } else if (event.kind === 'gradient_captured' && event.tensor === tensor && event.into === 'grad') {
      const { call, node, seq } = event;
      // What is retained is replaced by the next pass, not added to.
      const value = elementOf(event.value, element);
      found = { ...NONE, passes: [{ call, node, output: outputOf(events, tensor), added: value, seq }], after: value };
      last = null;
    } else if (event.kind === 'grad_cleared' && event.tensor === tensor) {
      const value = event.how === 'none' ? null : elementOf(event.value, element);
      found =
        value === null || value === 0 ? NONE : { ...NONE, before: { value, by: `the ${event.by}` }, after: value };
      last = null;
    }
  }
  return found;
}

/** Which output of its op a tensor is. */
function outputOf(events: readonly Event[], tensor: number): number {
  for (const event of events) {
    if (event.kind !== 'op_applied') continue;
    const nr = event.outputs.findIndex((output) => output.tensor === tensor);
    if (nr >= 0) return nr;
  }
  return 0;
}
