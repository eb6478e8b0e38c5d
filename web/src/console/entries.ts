// The entries of the console in order: prints, warnings and errors, each with the event it came from.

import { countUpTo } from '../facts/mentions';
import * as say from '../messages/console';
import type { Diagnosis, Event } from '../protocol/events';
import type { EventLog } from '../store/log';
import type { ErrorOutcomes } from '../timeline/error-outcome';

export type Entry = {
  /** The event after which it was there, and the last one that added to it. */
  seq: number;
  tone: 'stdout' | 'stderr' | 'warning' | 'error' | 'caught' | 'changed';
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
        fix: event.diagnosis ? adviceOf(event.message, event.diagnosis) : null,
      };
    case 'value_changed':
      return {
        seq,
        line,
        tone: 'changed',
        heading: say.youSet,
        text: `${event.target} = ${event.expression}`,
        fix: null,
      };
    default:
      return null;
  }
}

/** The kinds of events that may have an entry. */
const SAID = ['output_printed', 'warning_raised', 'error_raised', 'value_changed'] as const;

/** The entries of a log, kept up as it grows. */
export class Entries {
  readonly all: Entry[] = [];
  #read = 0;

  constructor(readonly log: EventLog) {}

  /** Reads the events that came since the last call. */
  update(): readonly Entry[] {
    for (const event of this.log.of(SAID, this.#read)) {
      const next = entry(event);
      if (next && !this.#repeats(event, next)) this.all.push(next);
    }
    this.#read = this.log.length;
    return this.all;
  }

  /** An error that leaves the program has two events, first of the engine and then of the program. */
  #repeats(event: Event, next: Entry): boolean {
    if (event.kind !== 'error_raised' || event.stage === 'engine') return false;
    return this.all.findLast(({ tone }) => tone === 'error')?.text === next.text;
  }

  /** How many entries there are at an event. */
  countAt(seq: number): number {
    return countUpTo(this.all, seq);
  }
}

/** Entries with the errors marked that the program caught, by what is known now. */
export function judged(entries: readonly Entry[], outcomes: Pick<ErrorOutcomes, 'isCaught'>): Entry[] {
  return entries.map((entry) =>
    entry.tone === 'error' && outcomes.isCaught(entry)
      ? { ...entry, tone: 'caught', heading: say.caughtByTheProgram(entry.heading) }
      : entry,
  );
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

/** What a diagnosis says beyond the message itself. */
function adviceOf(message: string, { cause, fix }: Diagnosis): string {
  const rest = cause.startsWith(message) ? cause.slice(message.length).replace(/^[.:,]\s*/, '') : cause;
  return `${rest} ${fix}`.trim();
}
