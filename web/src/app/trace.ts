// Trace files in the browser: a gzipped header line and the events as JSON lines, read and written without a server.

import type { Event } from '../protocol/events';
import { compress, expand } from './compression';

const TRACE_VERSION = 1;
const PROTOCOL_VERSION = 1;
const MOST_BYTES = 1_500_000_000;

/** A trace file that cannot be shown; the message says why and what to do. */
export class TraceFileError extends Error {}

function parsed(line: string, number: number): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new TraceFileError(`Line ${number} of this trace is not JSON: the file is damaged. Export the trace again.`);
  }
}

function checkHeader(header: unknown): void {
  const { backscope_trace: trace, protocol } = (header ?? {}) as Record<string, unknown>;
  if (typeof trace !== 'number' || typeof protocol !== 'number') {
    throw new TraceFileError('This file is not a Backscope trace: its first line is not a trace header.');
  }
  if (trace !== TRACE_VERSION || protocol !== PROTOCOL_VERSION) {
    throw new TraceFileError(
      `This trace is of version ${trace} with protocol ${protocol}; this page reads version ${TRACE_VERSION} with ` +
        `protocol ${PROTOCOL_VERSION}. Open it with the Backscope that wrote it, or run its program again.`,
    );
  }
}

/** The events of a `.backscope` file; raises TraceFileError for anything else. */
export async function readTrace(file: Blob): Promise<Event[]> {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(await expand(file, 'gzip', MOST_BYTES));
  } catch {
    throw new TraceFileError('This file is not a Backscope trace: it is not gzipped text, or it was cut short.');
  }
  const lines = text.split('\n').filter((line) => line !== '');
  if (lines.length === 0) throw new TraceFileError('This trace is empty. Export it again.');
  checkHeader(parsed(lines[0]!, 1));
  const events = lines.slice(1).map((line, index) => parsed(line, index + 2) as Event);
  const gap = events.findIndex((event, index) => event?.seq !== index);
  if (gap >= 0) {
    throw new TraceFileError(`Event ${gap} of this trace is missing: the file is damaged. Export the trace again.`);
  }
  if (events.length === 0) throw new TraceFileError('This trace holds no events. Export it again.');
  return events;
}

/** The events as a `.backscope` file. */
export async function writeTrace(events: readonly Event[]): Promise<Blob> {
  const header = JSON.stringify({
    backscope_trace: TRACE_VERSION,
    protocol: PROTOCOL_VERSION,
    events: events.length,
  });
  const parts = [`${header}\n`, ...events.map((event) => `${JSON.stringify(event)}\n`)];
  return new Blob([await compress(new Blob(parts), 'gzip')], { type: 'application/gzip' });
}
