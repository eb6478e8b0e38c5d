// Steps of optimizers that changed no parameter, and why.

import type { Event, OptimizerStepped, ParameterUpdate } from '../protocol/events';
import { isEmpty } from '../timeline/gradients';
import type { History } from '../timeline/history';
import type { Idle } from './note';

/** The steps of one optimizer that did nothing for one reason, of all its steps. */
export type IdleSteps = { optimizer: string; steps: readonly OptimizerStepped[]; of: number; idle: Idle };

type Optimizer = { name: string; count: number; idle: { event: OptimizerStepped; idle: Idle }[] };

/** Follows a log. A step by gradients that are zero of themselves is as it should be. */
export class IdleOptimizers {
  /** By the class and the first parameter: programs may have two of one class. */
  readonly #optimizers = new Map<string, Optimizer>();
  /** The last step on each parameter. */
  readonly #stepped = new Map<number, number>();
  #passes = 0;

  constructor(private readonly history: History) {}

  /** Takes the next event. */
  take(event: Event): void {
    if (event.kind === 'backward_started') this.#passes += 1;
    if (event.kind !== 'optimizer_stepped') return;
    const tensors = [...event.updates.map(({ tensor }) => tensor), ...event.unchanged];
    const key = `${event.optimizer} ${Math.min(...tensors)}`;
    const optimizer = this.#optimizers.get(key) ?? { name: event.optimizer, count: 0, idle: [] };
    this.#optimizers.set(key, optimizer);
    optimizer.count += 1;
    const idle = event.updates.some(moved) ? null : this.#reason(event, tensors);
    if (idle) optimizer.idle.push({ event, idle });
    for (const tensor of tensors) this.#stepped.set(tensor, event.seq);
  }

  /** The optimizers with steps that changed nothing, once the log is read. */
  get found(): IdleSteps[] {
    return [...this.#optimizers.values()].flatMap(({ name, count, idle }) => {
      // The reason of the last one is that of the loop once it goes on as it does.
      const last = idle.at(-1);
      if (!last) return [];
      // A rate that is zero at the start or at the end of a schedule is meant.
      const all = idle.length === count;
      if (last.idle.because === 'rate' && !all) return [];
      const alike = all ? idle : idle.filter((one) => one.idle.because === last.idle.because);
      return [{ optimizer: name, steps: alike.map(({ event }) => event), of: count, idle: last.idle }];
    });
  }

  /** Why a step did nothing; null where nothing is wrong, or where no gradient could come. */
  #reason(event: OptimizerStepped, tensors: readonly number[]): Idle | null {
    if (event.updates.some(({ grad }) => !isEmpty(grad))) {
      const isStill = event.updates.every(({ group }) => event.groups[group]?.lr === 0);
      return isStill ? { because: 'rate' } : null;
    }
    if (this.#passes === 0) return { because: 'early' };
    let used = false;
    for (const tensor of tensors) {
      const grads = this.history.tensors.get(tensor)?.grads;
      const entries = grads?.entries.slice(0, grads.count(event.seq - 1)) ?? [];
      const arrival = entries.findLast((one) => one.event.kind === 'grad_accumulated');
      if (!arrival) continue;
      if ((this.#stepped.get(tensor) ?? -1) > arrival.event.seq) {
        used = true;
        continue;
      }
      const emptied = entries.findLast(({ event: { seq }, value }) => seq > arrival.event.seq && isEmpty(value));
      // Gradients that arrived as zeros were not emptied.
      if (emptied && !isEmpty(arrival.value)) return { because: 'cleared', line: emptied.event.line };
    }
    return used && event.updates.length === 0 ? { because: 'used' } : null;
  }
}

/** Returns whether an update changed its parameter, as far as is known. */
function moved({ before, after, change }: ParameterUpdate): boolean {
  if (change) return change.norm !== 0;
  return before.norm !== after.norm || JSON.stringify(before.values) !== JSON.stringify(after.values);
}
