// Reading events from the bytes of a log that is still written: each is checked as one of a trace file is.

import * as say from '../messages/trace';
import type { Event } from '../protocol/events';
import { notAnEvent } from './check';
import { complete, TraceFileError } from './trace-format';

/** Gives a function that takes the next bytes, and gives the events that are complete with them; it throws TraceFileError. */
export function readLines(): (bytes: Uint8Array) => Event[] {
  const decoder = new TextDecoder();
  let rest = '';
  let count = 0;
  return (bytes) => {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop()!;
    return lines.map((line) => {
      const event = complete(JSON.parse(line) as Event);
      const reason = notAnEvent(event);
      if (reason !== null) throw new TraceFileError(say.eventOfThisTrace(count, reason, say.copyAgain));
      if (event.seq !== count) throw new TraceFileError(say.eventOutOfOrder(count, event.seq, say.copyAgain));
      count += 1;
      return event;
    });
  };
}
