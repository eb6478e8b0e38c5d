// Protects: a trace survives the round trip, one that lost its end is shown up to there, and any other file is refused with
// the reason and the place, in bounded memory.

import { describe, expect, it } from 'vitest';
import type { Event, OpApplied } from '../protocol/events';
import { goldens } from '../protocol/goldens';
import { compress } from './compression';
import { readTrace, writeTrace } from './trace';
import { complete, TraceFileError } from './trace-format';
import { BOUNDS, readEvents } from './trace-reading';

const printed = (seq: number, text = 'π\n') =>
  ({ kind: 'output_printed', seq, line: 1, stream: 'stdout', text }) as Event;
const finished = (seq: number, status = 'ok') => ({ kind: 'program_finished', seq, line: null, status }) as Event;
const HEADER = '{"backscope_trace":1,"protocol":1}\n';

async function read(file: Blob, bounds = BOUNDS): Promise<Event[]> {
  const events: Event[] = [];
  const again: Event[] = [];
  const take = (batch: Event[], _: number, lines: readonly string[]) => {
    events.push(...batch);
    again.push(...(JSON.parse(`[${lines.join()}]`) as Event[]).map(complete));
  };
  await readEvents(file, take, bounds);
  // The page reads them once more from their lines.
  expect(again).toEqual(events);
  return events;
}

async function gzipped(text: BlobPart): Promise<Blob> {
  return new Blob([await compress(text, 'gzip')]);
}

/** Texts that do not compress well, so that a cut falls between events. */
function long(count: number): Event[] {
  let state = 1;
  const word = () => {
    state = (state * 48271) % 2147483647;
    return state.toString(36);
  };
  const events = Array.from({ length: count }, (_, seq) => printed(seq, `${word()} ${word()} ${word()}\n`));
  return [...events, finished(count)];
}

describe('trace files', () => {
  it('survive the round trip', async () => {
    const events = long(5000);
    expect(await read(await writeTrace(events))).toEqual(events);
  });

  it.each([0.3, 0.6, 0.9, 0.999])('cut short at %d are read up to there', async (kept) => {
    const events = long(5000);
    const whole = await writeTrace(events);
    const found = await read(whole.slice(0, Math.floor(whole.size * kept)));
    expect(found.at(-1)).toEqual(finished(found.length - 1, 'cut'));
    expect(found.slice(0, -1)).toEqual(events.slice(0, found.length - 1));
    expect(found.length).toBeGreaterThan(5000 * kept * 0.8);
  });

  it('are not read where they were called off before', async () => {
    const file = await writeTrace(long(1));
    await expect(readTrace(file, () => {}, AbortSignal.abort())).rejects.toThrow();
  });

  it('from before ops told of hidden outputs are read too', async () => {
    const applied = goldens()
      .flatMap(([, events]) => events)
      .find((event) => event.kind === 'op_applied')!;
    const { hidden: _, ...before } = { ...applied, seq: 0 } as OpApplied;
    const text = `${HEADER}${JSON.stringify(before)}\n${JSON.stringify(finished(1))}\n`;
    expect(await read(await gzipped(text))).toEqual([{ ...before, hidden: [] }, finished(1)]);
  });

  it('without their last event are read too', async () => {
    const text = `${HEADER}${JSON.stringify(printed(0))}\n{"kind":"out`;
    expect(await read(await gzipped(text))).toEqual([printed(0), finished(1, 'cut')]);
  });

  it.each([
    ['plain text', new Blob(['print(1)']), 'not gzipped'],
    ['an empty file', new Blob([]), 'not a Backscope trace'],
  ])('refuse %s', async (_, blob, reason) => {
    await expect(read(blob)).rejects.toThrow(reason);
  });

  const first = JSON.stringify(printed(0));
  it.each([
    ['other JSON', '{"a":1}\n', 'not a Backscope trace'],
    ['a list', '[1]\n', 'not a Backscope trace'],
    ['another version', '{"backscope_trace":2,"protocol":1}\n', 'version 2'],
    ['a broken line', `${HEADER}${first}\n{"seq":1\n`, 'Event 1'],
    ['a gap', `${HEADER}${JSON.stringify(printed(1))}\n`, 'Event 0 of this trace has seq 1'],
    ['a doubled event', `${HEADER}${first}\n${first}\n`, 'Event 1 of this trace has seq 0'],
    ['an unknown kind', `${HEADER}{"kind":"flown","seq":0,"line":1}\n`, 'Event 0 of this trace is of a kind'],
    ['a missing field', `${HEADER}{"kind":"output_printed","seq":0,"line":1}\n`, 'at stream'],
    ['a number', `${HEADER}7\n`, 'Event 0'],
    ['deep nesting', `${HEADER}${'['.repeat(200_000)}\n`, 'Event 0'],
    [
      'events after the end',
      `${HEADER}${JSON.stringify(finished(0))}\n${JSON.stringify(printed(1))}\n`,
      'after the end',
    ],
    ['no events', HEADER, 'no events'],
  ])('refuse %s', async (_, text, reason) => {
    const reading = read(await gzipped(text));
    await expect(reading).rejects.toThrow(TraceFileError);
    await expect(reading).rejects.toThrow(reason);
  });

  it('refuse text that is not UTF-8', async () => {
    const bytes = new TextEncoder().encode(`${HEADER}${first}\n`);
    bytes[bytes.length - 8] = 0xff;
    await expect(read(await gzipped(bytes))).rejects.toThrow('not UTF-8');
  });

  it('refuse a file that was altered', async () => {
    const whole = new Uint8Array(await (await writeTrace(long(5000))).arrayBuffer());
    for (const place of [0.2, 0.5, 0.8]) {
      const bytes = whole.slice();
      bytes[Math.floor(bytes.length * place)]! ^= 0xff;
      await expect(read(new Blob([bytes]))).rejects.toThrow(/Event|damaged/);
    }
  });

  it('refuse what is too much', async () => {
    const file = await writeTrace(long(2000));
    await expect(read(file, { ...BOUNDS, bytes: 50_000 })).rejects.toThrow('unpacks to more');
    await expect(read(file, { ...BOUNDS, events: 100 })).rejects.toThrow('more than 100 events');
    await expect(read(file, { ...BOUNDS, line: 20 })).rejects.toThrow('longer than');
    const bomb = await gzipped(new Blob([HEADER, new Uint8Array(64 << 20)]));
    expect(bomb.size).toBeLessThan(100_000);
    await expect(read(bomb)).rejects.toThrow('longer than 4 MB');
  });
});
