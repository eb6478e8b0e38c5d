// Selective checkpoints: the results that their policies kept, and the ops that get such a result in place of computing it again.

import type { CheckpointEntered, CheckpointLeft, OpApplied } from '../protocol/events';

export class SelectiveCheckpoints {
  /** The results that the policies kept. */
  readonly kept = new Set<number>();
  /** The ops whose results were kept, where they are applied again, by event. */
  readonly givenBack = new Set<number>();
  /** The checkpoints that are under way, innermost last. */
  readonly #under: CheckpointEntered[] = [];
  /** The ops that each selective checkpoint applied the first time, and those of them that are still to be repeated. */
  readonly #firstRuns = new Map<number, OpApplied[]>();
  #rerun: Iterator<OpApplied> | null = null;

  /** The innermost checkpoint that is under way. */
  get innermost(): CheckpointEntered | null {
    return this.#under.at(-1) ?? null;
  }

  enter(event: CheckpointEntered): void {
    this.#under.push(event);
  }

  leave({ checkpoint, kept }: CheckpointLeft): void {
    const place = this.#under.findIndex((entered) => entered.checkpoint === checkpoint);
    if (place >= 0) this.#under.length = place;
    for (const tensor of kept) this.kept.add(tensor);
  }

  /** Begin to follow the ops of a checkpoint that is computed again; null ends that. */
  repeat(checkpoint: number | null): void {
    this.#rerun = checkpoint === null ? null : (this.#firstRuns.get(checkpoint)?.values() ?? null);
  }

  /** Take an op: of the first run it is kept, while the checkpoint is computed again it is compared with the first run's. */
  apply(event: OpApplied): void {
    if (this.#rerun) {
      const first: OpApplied | undefined = this.#rerun.next().value;
      const isKept = first?.outputs.some(({ tensor }) => this.kept.has(tensor));
      if (first?.op === event.op && isKept) this.givenBack.add(event.seq);
      return;
    }
    // One around another checkpoint applies the ops of both again.
    for (const { checkpoint, selective } of this.#under) {
      if (!selective) continue;
      const ops = this.#firstRuns.get(checkpoint);
      if (ops) ops.push(event);
      else this.#firstRuns.set(checkpoint, [event]);
    }
  }
}
