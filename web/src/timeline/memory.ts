// Memory over the moments of a run: each storage counted once, as gradient, as saved for backward, or as a plain value.

import type { Event, TensorInfo } from '../protocol/events';

/** Bytes after each moment, indexed by moment. */
export type MemorySeries = {
  values: ArrayLike<number>;
  saved: ArrayLike<number>;
  gradients: ArrayLike<number>;
};

type Storage = { nbytes: number; tensors: number; slots: number; isGrad: boolean; counted: Kind | null };
type Kind = 'values' | 'saved' | 'gradients';

/** The account of all storages; a storage that a node saves counts as saved even while a variable holds it too. */
export class Memory implements MemorySeries {
  readonly values: number[] = [];
  readonly saved: number[] = [];
  readonly gradients: number[] = [];
  readonly #now: Record<Kind, number> = { values: 0, saved: 0, gradients: 0 };
  readonly #storages = new Map<number, Storage>();
  /** The storage of each tensor, negative once the tensor is released. */
  readonly #tensors = new Map<number, number>();
  /** Saved slots by node, with the storage that each holds. */
  readonly #slots = new Map<number, Map<string, number>>();
  /** Bytes of the gradients that wait at nodes, by node. */
  readonly #waiting = new Map<number, number>();
  /** Bytes of `.grad`s whose tensors the log never introduced, by leaf. */
  readonly #grads = new Map<number, number>();

  /** Takes the next event, which belongs to moment `moment`. */
  add(event: Event, moment: number): void {
    this.#count(event);
    if (moment < 0) return;
    this.values[moment] = this.#now.values;
    this.saved[moment] = this.#now.saved;
    this.gradients[moment] = this.#now.gradients;
  }

  #count(event: Event): void {
    switch (event.kind) {
      case 'tensor_created':
        this.#born(event.info);
        break;
      case 'op_applied':
        for (const output of event.outputs) this.#born(output);
        if (event.node) this.#save(event.node.node, event.node.saved);
        break;
      case 'graph_rebased':
        this.#save(event.node.node, event.node.saved);
        break;
      case 'tensor_released': {
        const storage = this.#tensors.get(event.tensor) ?? -1;
        if (storage > 0) {
          this.#tensors.set(event.tensor, -storage);
          this.#change(storage, (entry) => {
            entry.tensors -= 1;
          });
        }
        break;
      }
      case 'saved_tensor_packed':
        // What the hook keeps is a thing of its own, unless it is a tensor, which may be the same.
        if (event.packed !== 'Tensor') this.#drop(event.node, event.slot);
        break;
      case 'buffer_freed':
        this.#drop(event.node, event.slot);
        break;
      case 'node_released': {
        for (const slot of [...(this.#slots.get(event.node)?.keys() ?? [])]) this.#drop(event.node, slot);
        this.#wait(event.node, 0);
        break;
      }
      case 'gradient_sent':
        this.#wait(event.to_node, (event.total ?? event.value).nbytes);
        break;
      case 'node_finished':
        // While a node runs, what arrived at it is still there.
        this.#wait(event.node, 0);
        break;
      case 'backward_finished':
        for (const node of [...this.#waiting.keys()]) this.#wait(node, 0);
        break;
      case 'grad_accumulated': {
        this.#wait(event.node, 0);
        const storage = this.#tensors.get(event.grad);
        if (storage !== undefined) {
          this.#change(Math.abs(storage), (entry) => {
            entry.isGrad = true;
          });
        } else {
          this.#grad(event.tensor, event.after.nbytes);
        }
        break;
      }
      case 'grad_cleared':
        this.#grad(
          event.tensor,
          event.how === 'none' || !this.#grads.has(event.tensor) ? 0 : (event.value?.nbytes ?? 0),
        );
        break;
      default:
        break;
    }
  }

  #born(info: TensorInfo): void {
    if ((this.#tensors.get(info.tensor) ?? -1) > 0) return;
    this.#tensors.set(info.tensor, info.storage);
    this.#change(info.storage, (storage) => {
      storage.tensors += 1;
      storage.nbytes = Math.max(storage.nbytes, info.value.nbytes);
    });
  }

  #save(node: number, saved: readonly { slot: string; storage: number; nbytes: number }[]): void {
    if (saved.length === 0) return;
    const slots = new Map<string, number>();
    this.#slots.set(node, slots);
    for (const { slot, storage, nbytes } of saved) {
      slots.set(slot, storage);
      this.#change(storage, (entry) => {
        entry.slots += 1;
        entry.nbytes = Math.max(entry.nbytes, nbytes);
      });
    }
  }

  #drop(node: number, slot: string): void {
    const slots = this.#slots.get(node);
    const storage = slots?.get(slot);
    if (storage === undefined) return;
    slots!.delete(slot);
    if (slots!.size === 0) this.#slots.delete(node);
    this.#change(storage, (entry) => {
      entry.slots -= 1;
    });
  }

  #wait(node: number, nbytes: number): void {
    this.#now.gradients += nbytes - (this.#waiting.get(node) ?? 0);
    if (nbytes > 0) this.#waiting.set(node, nbytes);
    else this.#waiting.delete(node);
  }

  #grad(leaf: number, nbytes: number): void {
    this.#now.gradients += nbytes - (this.#grads.get(leaf) ?? 0);
    if (nbytes > 0) this.#grads.set(leaf, nbytes);
    else this.#grads.delete(leaf);
  }

  #change(id: number, change: (storage: Storage) => void): void {
    let storage = this.#storages.get(id);
    if (!storage) {
      storage = { nbytes: 0, tensors: 0, slots: 0, isGrad: false, counted: null };
      this.#storages.set(id, storage);
    }
    if (storage.counted) this.#now[storage.counted] -= storage.nbytes;
    change(storage);
    const held = storage.tensors > 0 || storage.slots > 0;
    storage.counted = !held ? null : storage.slots > 0 ? 'saved' : storage.isGrad ? 'gradients' : 'values';
    if (storage.counted) this.#now[storage.counted] += storage.nbytes;
    else this.#storages.delete(id);
  }
}
