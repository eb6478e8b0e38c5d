// Checkpoints as the stage shows them: the ops of one, and the ops that its backward pass applies again.

import type { Event, OpApplied } from '../../protocol/events';
import type { Checkpoint, Item } from '../graph';

/** Takes a log event by event. */
export class Checkpoints {
  readonly #all = new Map<number, Checkpoint>();
  /** The checkpoints whose forward pass is under way, innermost last. */
  readonly #inside: Checkpoint[] = [];
  /** The checkpoint that is computed again, and which of its ops comes next. */
  #rerun: { checkpoint: Checkpoint; next: number } | null = null;
  /** The items that ops computed again, by event. */
  readonly #reruns = new Map<number, Item>();

  add(event: Event): void {
    switch (event.kind) {
      case 'checkpoint_entered': {
        const made = { checkpoint: event.checkpoint, function: event.function, items: [], again: false };
        this.#all.set(event.checkpoint, made);
        this.#inside.push(made);
        break;
      }
      case 'checkpoint_left':
        this.#inside.pop();
        break;
      case 'recomputation_started': {
        const known = this.#all.get(event.checkpoint);
        const checkpoint = known && known.items.length === 0 ? { ...known, items: [], again: true } : known;
        this.#rerun = checkpoint ? { checkpoint, next: 0 } : null;
        break;
      }
      case 'recomputation_finished':
        this.#rerun = null;
        break;
      default:
        break;
    }
  }

  get(checkpoint: number): Checkpoint | null {
    return this.#all.get(checkpoint) ?? null;
  }

  /** Whether ops are computed again. */
  get again(): boolean {
    return this.#rerun !== null;
  }

  /** Whether the ops that are computed again were placed the first time. */
  get repeats(): boolean {
    return this.#rerun !== null && !this.#rerun.checkpoint.again;
  }

  /** The item of an op's first time, where it is the one that comes next. */
  repeat(event: OpApplied): Item | null {
    const item = this.#rerun?.checkpoint.items[this.#rerun.next];
    if (!this.#rerun || item?.event?.op !== event.op) return null;
    this.#rerun.next += 1;
    this.#reruns.set(event.seq, item);
    return item;
  }

  /** The item whose op an event applied again. */
  itemOf(seq: number): Item | null {
    return this.#reruns.get(seq) ?? null;
  }

  /** Takes an item that was placed now. */
  take(item: Item): void {
    const checkpoint = this.#rerun?.checkpoint ?? this.#inside.at(-1);
    if (!checkpoint) return;
    item.checkpoint = checkpoint;
    checkpoint.items.push(item);
  }
}
