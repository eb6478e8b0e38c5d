// The names and facts of tensors and nodes up to an event of the log, as far as the layout needs them.

import type { Event, Summary, TensorInfo } from '../../protocol/events';
import { Hooks, type HungHook } from '../../timeline/hooks';
import { Series } from '../../timeline/series';
import { isDropped } from '../../timeline/state';
import type { Item } from '../graph';
import type { Knowledge } from '../label';
import { type Place, Places } from './place';

/** Takes a log event by event. */
export class NamesSoFar implements Knowledge {
  readonly places = new Places();
  /** The leaf that a gradient was accumulated for. */
  readonly #grads = new Map<number, number>();
  readonly #needsGrad = new Set<number>();
  readonly #names = new Map<number, string>();
  readonly #infos = new Map<number, TensorInfo>();
  readonly #gradients = new Set<number>();
  readonly #hooks = new Hooks();
  /** What pack hooks keep, as `node/slot`. */
  readonly #packed = new Map<string, string>();
  readonly #versions = new Map<number, number>();
  readonly #tangents = new Set<number>();
  /** What belongs to a module, and since when tensors are there. */
  readonly #parameters = new Set<number>();
  readonly #born = new Map<number, number>();
  readonly #modes = new Series<string>();

  add(event: Event): void {
    this.#hooks.add(event);
    this.places.add(event);
    switch (event.kind) {
      case 'module_described':
        for (const { tensor } of event.parameters) this.#parameters.add(tensor);
        break;
      case 'tensor_created':
        this.#know(event.info);
        this.#born.set(event.info.tensor, event.seq);
        if (event.origin === 'gradient') this.#gradients.add(event.info.tensor);
        break;
      case 'tensor_named':
        if (!this.#names.has(event.tensor)) this.#names.set(event.tensor, event.name);
        break;
      case 'requires_grad_changed':
        if (event.requires_grad) this.#needsGrad.add(event.tensor);
        break;
      case 'tensor_mutated': {
        const info = this.#infos.get(event.tensor);
        if (info) this.#infos.set(event.tensor, { ...info, value: event.value });
        this.#versions.set(event.tensor, event.version);
        break;
      }
      case 'node_created':
        if (event.tensor !== null) this.#needsGrad.add(event.tensor);
        break;
      case 'grad_accumulated':
        this.#grads.set(event.grad, event.tensor);
        break;
      case 'op_applied':
        for (const output of event.outputs) {
          this.#know(output);
          if (!event.in_place) this.#born.set(output.tensor, event.seq);
        }
        break;
      case 'saved_tensor_packed':
        if (!isDropped(event)) this.#packed.set(`${event.node}/${event.slot}`, event.packed);
        break;
      case 'tangent_computed':
        this.#tangents.add(event.tensor);
        break;
      case 'grad_mode_changed':
        this.#modes.push(event.seq, event.mode);
        break;
      default:
        break;
    }
  }

  #know(info: TensorInfo): void {
    this.#infos.set(info.tensor, info);
    if (info.requires_grad && info.is_leaf) this.#needsGrad.add(info.tensor);
  }

  /** The name of its own, or that of the leaf whose gradient it is. */
  name(tensor: number): string | null {
    const own = this.#names.get(tensor);
    if (own) return own;
    const leaf = this.#grads.get(tensor);
    const name = leaf === undefined ? undefined : this.#names.get(leaf);
    return name ? `${name}.grad` : null;
  }

  /** The variable or the path of attributes that leads to a tensor. */
  variable(tensor: number): string | null {
    return this.#names.get(tensor) ?? null;
  }

  value(tensor: number): Summary | null {
    return this.#infos.get(tensor)?.value ?? null;
  }

  origin(tensor: number): string {
    return this.#gradients.has(tensor) ? 'gradient' : '';
  }

  version(tensor: number): number {
    return this.#versions.get(tensor) ?? 0;
  }

  mayChange(tensor: number): boolean {
    return this.#needsGrad.has(tensor) || this.version(tensor) > 0 || (this.#names.get(tensor)?.includes('.') ?? false);
  }

  hasTangent(tensor: number): boolean {
    return this.#tangents.has(tensor);
  }

  packed(node: number, slot: string): string | null {
    return this.#packed.get(`${node}/${slot}`) ?? null;
  }

  mode(seq: number): string {
    return this.#modes.at(seq) ?? 'grad';
  }

  hooksOfNode(node: number): readonly HungHook[] {
    return this.#hooks.ofNode(node);
  }

  hooksOfTensor(tensor: number): readonly HungHook[] {
    return this.#hooks.ofTensor(tensor);
  }

  /** The grad mode now. */
  get modeNow(): string {
    return this.#modes.last ?? 'grad';
  }

  /** Whether a tensor is a leaf that wants its gradient. */
  needsGrad(tensor: number): boolean {
    return this.#needsGrad.has(tensor);
  }

  /** Whether it wants a gradient at all. */
  isTracked(tensor: number): boolean {
    return this.#needsGrad.has(tensor) || (this.#infos.get(tensor)?.requires_grad ?? false);
  }

  isGrad(tensor: number): boolean {
    return this.#grads.has(tensor);
  }

  /** Whether a leaf that only the ops of a place use is its own, and not something that a module or function around them was given. */
  belongs(item: Item, place: Place): boolean {
    if (item.kind === 'again' || this.#parameters.has(item.tensor)) return true;
    // A buffer goes by the attributes that lead to it, what the program gives by a variable.
    if (this.#names.get(item.tensor)?.includes('.') !== false) return true;
    const born = this.#born.get(item.tensor) ?? 0;
    // A weight of a function that another one or a loop calls would be far from its op, above all of their calls.
    const isWeight = item.requiresGrad && place.outer !== null;
    for (let at: Place | null = place; at; at = at.outer) {
      if ((at.kind === 'module' || (at.kind === 'function' && !isWeight)) && born <= at.seq) return false;
    }
    return true;
  }
}
