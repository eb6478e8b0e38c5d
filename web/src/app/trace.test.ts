// Protects: a trace survives the round trip, and a file that is none is refused with the reason.

import { describe, expect, it } from 'vitest';
import type { Event } from '../protocol/events';
import { compress } from './compression';
import { readTrace, TraceFileError, writeTrace } from './trace';

const events = [
  { kind: 'output_printed', seq: 0, line: 1, stream: 'stdout', text: 'π\n' },
  { kind: 'program_finished', seq: 1, line: null, status: 'ok' },
] as Event[];

async function gzipped(text: string): Promise<Blob> {
  return new Blob([await compress(text, 'gzip')]);
}

describe('trace files', () => {
  it('survive the round trip', async () => {
    expect(await readTrace(await writeTrace(events))).toEqual(events);
  });

  it.each([
    ['plain text', new Blob(['print(1)']), 'not a Backscope trace'],
    ['an empty file', new Blob([]), 'not a Backscope trace'],
  ])('refuses %s', async (_, blob, reason) => {
    await expect(readTrace(blob)).rejects.toThrow(reason);
  });

  it.each([
    ['other JSON', '{"a":1}\n', 'not a Backscope trace'],
    ['another version', '{"backscope_trace":2,"protocol":1}\n', 'version 2'],
    ['a broken line', '{"backscope_trace":1,"protocol":1}\n{"seq":0\n', 'Line 2'],
    ['a gap', '{"backscope_trace":1,"protocol":1}\n{"seq":1}\n', 'Event 0'],
    ['no events', '{"backscope_trace":1,"protocol":1}\n', 'no events'],
  ])('refuses %s', async (_, text, reason) => {
    const read = readTrace(await gzipped(text));
    await expect(read).rejects.toThrow(TraceFileError);
    await expect(read).rejects.toThrow(reason);
  });
});
