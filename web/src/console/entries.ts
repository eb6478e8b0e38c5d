// What the program said, in order: prints, warnings and errors, each with the event it came from.

import { countUpTo } from '../inspector/mentions';
import type { Event } from '../protocol/events';

export type Entry = {
  /** The event after which it was there, and the last one that added to it. */
  seq: number;
  tone: 'stdout' | 'stderr' | 'warning' | 'error';
  line: number | null;
  heading: string | null;
  text: string;
  /** What to do about it, where the diagnosis says so. */
  fix: string | null;
};

function entry(event: Event): Entry | null {
  const { seq, line } = event;
  switch (event.kind) {
    case 'output_printed':
      return {
        seq,
        line,
        tone: event.stream === 'stderr' ? 'stderr' : 'stdout',
        heading: null,
        text: event.text,
        fix: null,
      };
    case 'warning_raised':
      return { seq, line, tone: 'warning', heading: event.category, text: event.message, fix: null };
    case 'error_raised':
      return {
        seq,
        line,
        tone: 'error',
        heading: event.type,
        text: event.message,
        fix: event.diagnosis ? `${event.diagnosis.cause} ${event.diagnosis.fix}`.trim() : null,
      };
    default:
      return null;
  }
}

function repeats(previous: Entry | undefined, next: Entry): boolean {
  return previous?.tone === 'error' && next.tone === 'error' && previous.text === next.text;
}

/** The entries of a log, kept up as it grows. */
export class Entries {
  readonly all: Entry[] = [];
  #read = 0;

  constructor(readonly events: readonly Event[]) {}

  /** Reads the events that came since the last call. */
  update(): readonly Entry[] {
    for (; this.#read < this.events.length; this.#read += 1) {
      const next = entry(this.events[this.#read]!);
      // An error that leaves the program is told twice, first by the engine and then by the program.
      if (next && !repeats(this.all.at(-1), next)) this.all.push(next);
    }
    return this.all;
  }

  /** How many entries there are at an event. */
  countAt(seq: number): number {
    return countUpTo(this.all, seq);
  }
}

/** Entries as the rows that they make on screen: output continues its row until a newline. */
export function rows(entries: readonly Entry[]): Entry[] {
  const made: Entry[] = [];
  for (const next of entries) {
    const last = made.at(-1);
    const printed = next.tone === 'stdout' || next.tone === 'stderr';
    if (last && printed && last.tone === next.tone && !last.text.endsWith('\n')) {
      made[made.length - 1] = { ...last, text: last.text + next.text, seq: next.seq };
    } else {
      made.push(next);
    }
  }
  return made;
}
