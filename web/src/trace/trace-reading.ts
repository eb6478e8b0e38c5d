// Reading a trace file piece by piece: what it holds is checked, counted and bounded before it is believed.

import * as say from '../messages/trace';
import { type Event, PROTOCOL_VERSION } from '../protocol/events';
import { notAnEvent } from './check';
import { complete, TRACE_VERSION, TraceFileError } from './trace-format';

/** What a file may unpack to: as much as the server records of one run. */
export const BOUNDS = { line: 4 * 1024 ** 2, bytes: 1024 ** 3, events: 3_000_000 };
const INPUT_BYTES = 1 << 16;

class Damaged extends Error {}

const CUT = 'cut';
const AGAIN = say.copyAgain;

/** Unpacks a file and gives its bytes in order; resolves to `cut` where the end of the file is missing. */
async function unpack(file: Blob, take: (bytes: Uint8Array, share: number) => void): Promise<typeof CUT | 'whole'> {
  const magic = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  if (magic[0] !== 0x1f || magic[1] !== 0x8b) {
    throw new TraceFileError(say.notGzipped);
  }
  const stream = new DecompressionStream('gzip');
  const writer = stream.writable.getWriter();
  const reader = stream.readable.getReader();
  let taken = 0;
  let given = 0;
  let closing = false;
  let refusal: unknown = null;
  const reading = (async () => {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      taken += 1;
      try {
        take(value, given / file.size);
      } catch (error) {
        refusal = error;
        await reader.cancel().catch(() => {});
        return;
      }
    }
  })();
  reading.catch(() => {});
  try {
    for (let from = 0; from < file.size && refusal === null; from += INPUT_BYTES) {
      const piece = new Uint8Array(await file.slice(from, from + INPUT_BYTES).arrayBuffer());
      given = from + piece.byteLength;
      await Promise.race([writer.write(piece), reading]);
    }
    // A stream that ends with an error throws away what was not taken yet, so everything is taken first.
    for (let before = -1; before !== taken && refusal === null; ) {
      before = taken;
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    closing = true;
    if (refusal === null) await Promise.all([writer.close(), reading]);
  } catch {
    if (refusal === null && closing) return CUT;
    if (refusal === null) throw new Damaged();
  }
  if (refusal !== null) throw refusal;
  return 'whole';
}

function checkHeader(text: string): void {
  let header: unknown;
  try {
    header = JSON.parse(text);
  } catch {
    header = null;
  }
  const { backscope_trace: trace, protocol } = (header ?? {}) as Record<string, unknown>;
  if (typeof trace !== 'number' || typeof protocol !== 'number') {
    throw new TraceFileError(say.noHeader);
  }
  if (trace !== TRACE_VERSION || !(protocol >= 1 && protocol <= PROTOCOL_VERSION)) {
    throw new TraceFileError(say.otherVersion(trace, protocol, TRACE_VERSION) + say.otherProtocol(PROTOCOL_VERSION));
  }
}

/**
 * Reads a `.backscope` file and gives its events in batches, with the share of the file that is read and the lines that
 * the events were read from. Where the end of the file is missing, what there is, and a last event that says so. Raises
 * TraceFileError for anything else.
 */
export async function readEvents(
  file: Blob,
  deliver: (batch: Event[], share: number, lines: readonly string[]) => void,
  bounds = BOUNDS,
): Promise<void> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let total = 0;
  let count = -1;
  let rest = '';
  let last: Event | null = null;

  const read = (line: string): Event | null => {
    const number = count;
    count += 1;
    if (number < 0) {
      checkHeader(line);
      return null;
    }
    if (number >= bounds.events) {
      throw new TraceFileError(say.tooManyEvents(bounds.events.toLocaleString('en')));
    }
    let event: unknown;
    try {
      event = JSON.parse(line);
    } catch {
      throw new TraceFileError(say.eventNotJson(number, AGAIN));
    }
    const reason = notAnEvent(complete(event));
    if (reason !== null) throw new TraceFileError(say.eventOfThisTrace(number, reason, AGAIN));
    const { seq } = event as Event;
    if (seq !== number) {
      throw new TraceFileError(say.eventOutOfOrder(number, seq, AGAIN));
    }
    if (last?.kind === 'program_finished') {
      throw new TraceFileError(say.eventAfterEnd(number, AGAIN));
    }
    last = event as Event;
    return last;
  };

  const take = (bytes: Uint8Array, share: number): void => {
    total += bytes.byteLength;
    if (total > bounds.bytes) {
      throw new TraceFileError(say.unpacksTooLarge(bounds.bytes / 1024 ** 2));
    }
    let text: string;
    try {
      text = decoder.decode(bytes, { stream: true });
    } catch {
      throw new TraceFileError(say.isNotUtf8Text(place(), AGAIN));
    }
    const lines = text.split('\n');
    lines[0] = rest + lines[0];
    rest = lines.pop()!;
    if (rest.length > bounds.line || lines.some((line) => line.length > bounds.line)) {
      throw new TraceFileError(say.lineTooLong(place(), bounds.line / 1024 ** 2));
    }
    const header = count < 0 ? 1 : 0;
    const batch = lines.map(read).filter((event) => event !== null);
    if (batch.length > 0) deliver(batch, share, lines.slice(header));
  };
  const place = () => (count < 0 ? say.firstLine : say.eventNear(count));

  try {
    await unpack(file, take);
  } catch (error) {
    if (!(error instanceof Damaged)) throw error;
    throw new TraceFileError(say.damagedNear(Math.max(count, 0), AGAIN));
  }
  if (count < 0) throw new TraceFileError(say.endsInHeader);
  if (last === null) throw new TraceFileError(say.noEvents);
  if ((last as Event).kind !== 'program_finished') {
    const end: Event = { kind: 'program_finished', seq: count, line: null, status: 'cut' };
    deliver([end], 1, [JSON.stringify(end)]);
  }
}
