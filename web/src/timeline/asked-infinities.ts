// Finds the infinities that a program asks for, as in the mask of an attention: they are no trouble by themselves.

import type { Event, OpApplied, Summary } from '../protocol/events';

/** An argument that is an infinity, as the `value` of `masked_fill`. */
const INFINITE = /^-?(inf|float\(.-?inf.\))$/;

/** The infinity that an op has as an argument, `−Inf`; null without one. */
export function askedInfinity({ inputs }: OpApplied): string | null {
  const asked = inputs.find(({ tensor, text }) => tensor === null && INFINITE.test(text ?? ''));
  return asked ? `${asked.text?.includes('-') ? '−' : ''}Inf` : null;
}

/** Follows a log: asked for are an infinite argument, a tensor of nothing but infinities, and what ops pass on of them. */
export class AskedInfinities {
  /** From which event on. */
  readonly #tensors = new Map<number, number>();

  /** Whether all that is not finite in a tensor's value, at an event, was asked for. */
  covers(tensor: number, { nan_count, inf_count }: Summary, seq = Number.POSITIVE_INFINITY): boolean {
    return inf_count > 0 && nan_count === 0 && this.#isAsked(tensor, seq);
  }

  #isAsked(tensor: number, seq: number): boolean {
    const from = this.#tensors.get(tensor);
    return from !== undefined && from <= seq;
  }

  #take(tensor: number, seq: number): void {
    if (!this.#tensors.has(tensor)) this.#tensors.set(tensor, seq);
  }

  /** Takes the next event. */
  add(event: Event): void {
    if (event.kind === 'tensor_created') {
      const { tensor, value } = event.info;
      if (event.origin !== 'grad' && isAllInfinite(value)) this.#take(tensor, event.seq);
    } else if (event.kind === 'op_applied') {
      const isAsked = event.inputs.some(({ tensor }) => tensor !== null && this.#tensors.has(tensor));
      if (!isAsked && askedInfinity(event) === null) return;
      for (const { tensor, value } of event.outputs) {
        if (value.inf_count > 0 && value.nan_count === 0) this.#take(tensor, event.seq);
      }
    }
  }
}

function isAllInfinite({ shape, inf_count }: Summary): boolean {
  return inf_count > 0 && inf_count === shape.reduce((product, size) => product * size, 1);
}
