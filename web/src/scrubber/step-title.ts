// What the playhead calls a step: its title, with the name by which readers know an op.

import { nameOf } from '../format/op-name';
import * as say from '../messages/timeline/moments';
import type { Event } from '../protocol/events';
import type { Moment } from '../timeline/moments';

/** The title of a moment, of its events. */
export function stepTitle(moment: Moment, events: readonly Event[]): string {
  const main = events.find((event) => event.kind === moment.kind);
  if (main?.kind === 'op_applied') return nameOf(main.op, main.inputs);
  return main?.kind === 'tensor_mutated' ? say.inPlace(nameOf(main.op)) : moment.title;
}
