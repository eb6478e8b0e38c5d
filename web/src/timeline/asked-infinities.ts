// Finds the infinities that a program asks for, as in the mask of an attention: they are no trouble by themselves.

import type { Event, Summary } from '../protocol/events';

/** An argument that is an infinity, as the `value` of `masked_fill`. */
const INFINITE = /^-?(inf|float\(.-?inf.\))$/;

/** Follows a log: asked for are an infinite argument, a tensor of nothing but infinities, and what ops pass on of them. */
export class AskedInfinities {
  readonly #tensors = new Set<number>();

  /** Whether all that is not finite in a tensor's value was asked for. */
  covers(tensor: number, { nan_count, inf_count }: Summary): boolean {
    return inf_count > 0 && nan_count === 0 && this.#tensors.has(tensor);
  }

  /** Takes the next event. */
  add(event: Event): void {
    if (event.kind === 'tensor_created') {
      const { tensor, value } = event.info;
      if (event.origin !== 'grad' && isAllInfinite(value)) this.#tensors.add(tensor);
    } else if (event.kind === 'op_applied') {
      const isAsked = event.inputs.some(({ tensor, text }) =>
        tensor === null ? INFINITE.test(text ?? '') : this.#tensors.has(tensor),
      );
      if (!isAsked) return;
      for (const { tensor, value } of event.outputs) {
        if (value.inf_count > 0 && value.nan_count === 0) this.#tensors.add(tensor);
      }
    }
  }
}

function isAllInfinite({ shape, inf_count }: Summary): boolean {
  return inf_count > 0 && inf_count === shape.reduce((product, size) => product * size, 1);
}
