// For tests: a log of some events.

import type { Event } from '../protocol/events';
import { EventLog } from './log';

export function logged(events: readonly Event[]): EventLog {
  const log = new EventLog();
  log.append(events);
  return log;
}
