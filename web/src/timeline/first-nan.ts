// Finds the events by which NaN or infinity came into numbers that were finite.

import type { Event, Summary } from '../protocol/events';
import { isBad } from '../protocol/finite';
import type { Events } from '../store/log';
import type { AskedInfinities } from './asked-infinities';

/** Follows a log; a value that is broken because what it came from is broken, or is asked to be infinite, is no onset. */
export class FirstNans {
  /** The events, in order. */
  readonly seqs: number[] = [];
  /** A gradient that was sent was broken. */
  sent = false;
  readonly #broken = new Set<number>();
  /** Nodes that a broken gradient arrived at or that ran with one. */
  readonly #nodes = new Set<number>();
  readonly #nan = new Set<number>();
  /** Nodes that saved a NaN, which the forward pass made. */
  readonly #spoilt = new Set<number>();
  /** The change that began last, which comes before the op that made it. */
  #changed: number | null = null;
  #read = 0;

  /** `asked`: the infinities of the same log that are asked for, which knows it up to the events that come. */
  constructor(private readonly asked: AskedInfinities) {}

  /** Takes the events that came since. */
  update(events: Events): void {
    for (; this.#read < events.length; this.#read += 1) this.#take(events.at(this.#read)!);
  }

  #take(event: Event): void {
    switch (event.kind) {
      case 'tensor_created':
        if (this.asked.covers(event.info.tensor, event.info.value, event.seq)) break;
        // A `.grad` is what was sent to it.
        if (this.#note(event.info.tensor, event.info.value) && event.origin !== 'grad') this.#begin(event.seq);
        break;
      case 'tensor_mutated': {
        const before = this.#broken.has(event.tensor) || typeof event.through === 'number';
        if (this.#note(event.tensor, event.value) && !before) {
          this.#begin(event.seq);
          this.#changed = event.seq;
        }
        break;
      }
      case 'grad_accumulated':
        this.#note(event.grad, event.after);
        break;
      case 'op_applied': {
        const given = event.inputs.filter(({ tensor }) => tensor !== event.outputs[0]?.tensor);
        const spread = event.in_place && given.some(({ tensor }) => tensor !== null && this.#broken.has(tensor));
        const isAsked =
          event.in_place && event.outputs.every(({ tensor, value }) => this.asked.covers(tensor, value, event.seq));
        if ((spread || isAsked) && this.#changed !== null && this.seqs.at(-1) === this.#changed) this.seqs.pop();
        this.#changed = null;
        const inherited = event.inputs.some(({ tensor }) => tensor !== null && this.#broken.has(tensor));
        for (const { tensor, value } of event.outputs) {
          if (this.asked.covers(tensor, value, event.seq)) this.#broken.delete(tensor);
          else if (this.#note(tensor, value) && !inherited) this.#begin(event.seq);
        }
        if (event.node?.saved.some(({ tensor }) => tensor !== null && this.#nan.has(tensor)))
          this.#spoilt.add(event.node.node);
        break;
      }
      case 'backward_started':
        // A pass inside another leaves what the other has under way.
        if (event.parent === null) this.#nodes.clear();
        event.gradients.forEach((value, i) => {
          if (isBad(value)) this.#nodes.add(event.root_nodes[i]!);
        });
        break;
      case 'node_started':
        if (event.gradients.some((value) => value && isBad(value))) this.#nodes.add(event.node);
        break;
      case 'gradient_sent':
        if (!isBad(event.value)) break;
        this.sent = true;
        if (!this.#nodes.has(event.node) && !this.#spoilt.has(event.node)) this.#begin(event.seq);
        this.#nodes.add(event.to_node);
        break;
      case 'optimizer_stepped':
        for (const { tensor, after, grad } of event.updates) {
          const before = this.#broken.has(tensor) || (grad !== null && isBad(grad));
          if (this.#note(tensor, after) && !before) this.#begin(event.seq);
        }
        break;
    }
  }

  #note(tensor: number, value: Summary): boolean {
    const bad = isBad(value);
    if (value.nan_count > 0) this.#nan.add(tensor);
    else this.#nan.delete(tensor);
    if (bad) this.#broken.add(tensor);
    else this.#broken.delete(tensor);
    return bad;
  }

  #begin(seq: number): void {
    if (this.seqs.at(-1) !== seq) this.seqs.push(seq);
  }
}
