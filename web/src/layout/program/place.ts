// Places: where in the program ops ran, as the call of a module or function, the run of a loop or one round of it, inside one another.

import type { Event, FunctionEntered, ModuleEntered, RoundStarted } from '../../protocol/events';

/** One call of a module. */
export type ModulePlace = { kind: 'module'; event: ModuleEntered; type: string; seq: number; outer: Place | null };
/** One call of a function. */
export type FunctionPlace = { kind: 'function'; event: FunctionEntered; seq: number; outer: Place | null };
/** One run of a loop. */
export type LoopPlace = { kind: 'loop'; event: RoundStarted; seq: number; outer: Place | null };
/** One round of a run of a loop. */
export type RoundPlace = { kind: 'round'; event: RoundStarted; seq: number; outer: LoopPlace };
export type Place = ModulePlace | FunctionPlace | LoopPlace | RoundPlace;

/** Whether a place is another one or lies in it. */
export function isWithin(place: Place | null, outer: Place): boolean {
  for (let at = place; at; at = at.outer) if (at === outer) return true;
  return false;
}

/** A loop by its variable: `for epoch`. */
export function headOf(text: string): string {
  return text.replace(/^(for .+?) in .*$/, '$1');
}

/** The innermost call of a module around a place. */
export function moduleOf(place: Place | null): ModulePlace | null {
  let at = place;
  while (at && at.kind !== 'module') at = at.outer;
  return at;
}

/** Follows the events; `now` is the innermost place that is under way. */
export class Places {
  now: Place | null = null;
  readonly #types = new Map<number, string>();

  /** Takes the next event. */
  add(event: Event): void {
    switch (event.kind) {
      case 'module_described':
        this.#types.set(event.module, event.type);
        break;
      case 'module_entered': {
        const type = this.#types.get(event.module) ?? '';
        this.now = { kind: 'module', event, type, seq: event.seq, outer: this.now };
        break;
      }
      case 'module_left': {
        // The loops and functions of its forward() end with it.
        const call = moduleOf(this.now);
        if (call) this.now = call.outer;
        break;
      }
      case 'function_entered':
        this.now = { kind: 'function', event, seq: event.seq, outer: this.now };
        break;
      case 'function_left': {
        let at = this.now;
        while (at && !(at.kind === 'function' && at.event.call === event.call)) at = at.outer;
        if (at) this.now = at.outer;
        break;
      }
      case 'round_started':
        this.#round(event);
        break;
      case 'loop_finished': {
        const run = this.#loop(event.loop);
        if (run) this.now = run.outer;
        break;
      }
    }
  }

  #round(event: RoundStarted): void {
    const { seq } = event;
    const run: LoopPlace = this.#loop(event.loop) ?? { kind: 'loop', event, seq, outer: this.now };
    this.now = { kind: 'round', event, seq, outer: run };
  }

  #loop(loop: number): LoopPlace | null {
    for (let at = this.now; at; at = at.outer) if (at.kind === 'loop' && at.event.loop === loop) return at;
    return null;
  }
}
