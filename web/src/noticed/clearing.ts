// Gradients that an update used and that were not cleared before the next backward pass added to them.

import type { Event, GradAccumulated, OpApplied, TensorMutated } from '../protocol/events';
import { isEmpty } from '../timeline/gradients';
import type { History } from '../timeline/history';
import type { Update } from './note';

/** An update of a leaf, by an optimizer or by the program's own code. */
type Use = Update & { seq: number };
/** A leaf that was updated by the same gradient twice: the two updates, and the event that added to it between them. */
export type Stale = { tensor: number; from: Use; to: Use; added: GradAccumulated };

type Leaf = {
  storage: number;
  use: Use | null;
  /** Whether a gradient has arrived since that update. */
  arrived: boolean;
  /** The event that added to a gradient which was used before. */
  added: GradAccumulated | null;
  byHand: number;
};

/** Follows a log. An update by hand is a change in place of a leaf by something that was computed from a gradient. */
export class Clearing {
  readonly found: Stale[] = [];
  /** The updates that the program made itself, by leaf. */
  readonly #leaves = new Map<number, Leaf>();
  readonly #leafIn = new Map<number, number>();
  /** The storages of gradients and of what was computed from them off the tape. */
  readonly #derived = new Set<number>();

  constructor(private readonly history: History) {}

  /** Takes the next event. */
  take(event: Event): void {
    switch (event.kind) {
      case 'grad_accumulated':
        this.#accumulate(event);
        break;
      case 'op_applied':
        this.#apply(event);
        break;
      case 'tensor_mutated':
        if (event.op === 'data') this.#replace(event);
        break;
      case 'optimizer_stepped':
        for (const { tensor } of event.updates) {
          const leaf = this.#leaves.get(tensor);
          if (leaf) this.#update(tensor, leaf, { optimizer: event.optimizer, number: event.number, seq: event.seq });
        }
        break;
    }
  }

  #accumulate(event: GradAccumulated): void {
    const { tensor, before, seq } = event;
    let leaf = this.#leaves.get(tensor);
    if (!leaf) {
      const storage = this.#storageOf(tensor) ?? -1;
      leaf = { storage, use: null, arrived: true, added: null, byHand: 0 };
      this.#leaves.set(tensor, leaf);
      this.#leafIn.set(storage, tensor);
    }
    const grad = this.#storageOf(event.grad);
    if (grad !== undefined) this.#derived.add(grad);
    if (isEmpty(before)) {
      leaf.use = null;
      leaf.added = null;
    } else if (leaf.use && !leaf.arrived) {
      // A gradient that was changed since, for instance scaled, is kept on purpose.
      const { grads } = this.history.tensors.get(tensor) ?? {};
      if (grads && grads.count(seq - 1) === grads.count(leaf.use.seq)) leaf.added = event;
      else leaf.use = null;
    }
    leaf.arrived = true;
  }

  #apply(event: OpApplied): void {
    if (event.node) return;
    const given = event.inputs.some(({ tensor }) => {
      const storage = tensor === null ? undefined : this.#storageOf(tensor);
      return storage !== undefined && this.#derived.has(storage);
    });
    if (!given) return;
    for (const { storage } of event.outputs) {
      const tensor = this.#leafIn.get(storage);
      if (tensor === undefined) this.#derived.add(storage);
      else if (event.in_place) this.#updateByHand(tensor, event.seq);
    }
  }

  /** Takes `w.data = w.data - lr * w.grad`. */
  #replace({ tensor, storage, seq }: TensorMutated): void {
    const leaf = this.#leaves.get(tensor);
    if (!leaf || leaf.storage === storage) return;
    this.#leafIn.delete(leaf.storage);
    leaf.storage = storage;
    this.#leafIn.set(storage, tensor);
    if (this.#derived.delete(storage)) this.#updateByHand(tensor, seq);
  }

  #updateByHand(tensor: number, seq: number): void {
    const leaf = this.#leaves.get(tensor)!;
    // Several changes by one gradient are one update.
    if (leaf.use && !leaf.arrived) return;
    leaf.byHand += 1;
    this.#update(tensor, leaf, { optimizer: null, number: leaf.byHand, seq });
  }

  #update(tensor: number, leaf: Leaf, use: Use): void {
    if (leaf.use && !leaf.arrived) {
      // What an optimizer that the program defines does in its step was taken for an update by hand.
      if (leaf.use.optimizer === null) Object.assign(leaf.use, use);
      else leaf.use = use;
      return;
    }
    if (leaf.use && leaf.added && !this.#clearedBetween(tensor, leaf.added.seq, use.seq))
      this.found.push({ tensor, from: leaf.use, to: use, added: leaf.added });
    leaf.use = use;
    leaf.arrived = false;
    leaf.added = null;
  }

  /** Returns whether `.grad` was emptied or replaced between two events. */
  #clearedBetween(tensor: number, from: number, to: number): boolean {
    const grads = this.history.tensors.get(tensor)?.grads;
    if (!grads) return false;
    return grads.entries
      .slice(grads.count(from), grads.count(to - 1))
      .some(({ event, value }) => event.kind === 'grad_cleared' || isEmpty(value));
  }

  #storageOf(tensor: number): number | undefined {
    return this.history.tensors.get(tensor)?.storage;
  }
}
