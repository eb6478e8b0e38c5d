// The things on the stage that can be pointed at and selected.

import type { Place } from '../layout/program/place';

export type Target =
  | { type: 'tensor'; tensor: number }
  | { type: 'node'; node: number }
  | { type: 'op'; seq: number }
  | { type: 'saved'; node: number; slot: string }
  | { type: 'edge'; node: number; inputNr: number }
  /** One call of a module. */
  | { type: 'module'; call: number }
  /** One call of a function. */
  | { type: 'function'; call: number }
  /** One run of a loop; one round of it, where that is not 0. */
  | { type: 'loop'; loop: number; round: number };

/** Whether two targets are one thing. */
export function isSame(a: Target | null, b: Target | null): boolean {
  return a === b || (a !== null && b !== null && keyOf(a) === keyOf(b));
}

/** A text that is the same for the same thing and for nothing else. */
export function keyOf(target: Target): string {
  switch (target.type) {
    case 'tensor':
      return `tensor:${target.tensor}`;
    case 'node':
      return `node:${target.node}`;
    case 'op':
      return `op:${target.seq}`;
    case 'saved':
      return `saved:${target.node}/${target.slot}`;
    case 'module':
      return `module:${target.call}`;
    case 'function':
      return `function:${target.call}`;
    case 'loop':
      return `loop:${target.loop}/${target.round}`;
    case 'edge':
      return `edge:${target.node}/${target.inputNr}`;
  }
}

/** A place of the program as something to select. */
export function targetOf(place: Place): Target {
  if (place.kind === 'module') return { type: 'module', call: place.event.call };
  if (place.kind === 'function') return { type: 'function', call: place.event.call };
  return { type: 'loop', loop: place.event.loop, round: place.kind === 'round' ? place.event.round : 0 };
}
