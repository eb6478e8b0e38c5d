// Protects: events of a log that is still written are read where they are complete, and checked.

import { expect, it } from 'vitest';
import { readLines } from './lines';

const text = (seq: number, name: string) =>
  `${JSON.stringify({ kind: 'output_printed', seq, line: 1, text: name, stream: 'stdout' })}\n`;
const bytes = (said: string) => new TextEncoder().encode(said);

it('gives events once they are complete, wherever the bytes are divided', () => {
  const whole = bytes(text(0, 'é') + text(1, 'b'));
  for (let at = 0; at <= whole.length; at++) {
    const read = readLines();
    const events = [...read(whole.subarray(0, at)), ...read(whole.subarray(at))];
    expect(events.map((event) => event.kind === 'output_printed' && event.text)).toEqual(['é', 'b']);
  }
});

it('refuses what is no event, and events that are missing', () => {
  expect(() => readLines()(bytes('{"kind":"output_printed","seq":"0"}\n'))).toThrow('Event 0');
  expect(() => readLines()(bytes(text(1, 'a')))).toThrow('seq 1');
});
