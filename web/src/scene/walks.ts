// For tests: a recorded program that is opened, and a reader who goes forth and back in it at random.

import type { Breadth } from '../layout/label';
import { MirrorLayout } from '../layout/mirror';
import type { Event } from '../protocol/events';
import { EventLog } from '../store/log';
import { Timeline } from '../timeline/timeline';

/** A log with its moments, laid out as a whole. */
export function opened(
  events: Event[],
  breadth: Breadth = 'wide',
): { timeline: Timeline; layout: MirrorLayout; log: EventLog } {
  const log = new EventLog();
  const timeline = new Timeline(log);
  const layout = new MirrorLayout(log, null, breadth);
  log.append(events);
  layout.commit();
  return { timeline, layout, log };
}

/** So many cursors, mostly a step from one to the next, sometimes anywhere; the same ones each time. */
export function* walk({ moments }: Timeline, length: number): Generator<number, void> {
  const count = moments.length;
  let random = 1;
  for (let i = 0, cursor = -1; i < length; i += 1) {
    random = (random * 48_271) % 2_147_483_647;
    const steps = [1, 1, 1, -1, -2, (random % (2 * count + 1)) - count];
    cursor = Math.max(-1, Math.min(count - 1, cursor + steps[random % steps.length]!));
    yield cursor;
  }
}
