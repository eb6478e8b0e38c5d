// Lone leaves: variables that the program has named and not used, which are placed alone until something uses them.

import type { TensorInfo } from '../protocol/events';
import type { Homes } from './draft';

export class Lone {
  readonly #leaves: { tensor: number; seq: number; info: TensorInfo }[] = [];

  /** Whether no leaf is placed alone. */
  get isEmpty(): boolean {
    return this.#leaves.length === 0;
  }

  add(tensor: number, seq: number, info: TensorInfo): void {
    this.#leaves.push({ tensor, seq, info });
  }

  /** Lets them wait for their first use again, in the order of the program. */
  release({ tensors, waiting }: Homes): void {
    for (const { tensor, seq, info } of this.#leaves.splice(0)) {
      tensors.delete(tensor);
      waiting.set(tensor, { seq, info });
    }
    const inOrder = [...waiting].sort(([, a], [, b]) => a.seq - b.seq);
    waiting.clear();
    for (const [tensor, one] of inOrder) waiting.set(tensor, one);
  }
}
