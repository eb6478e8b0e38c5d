// Protects: a run on the stage keeps its layout where another one would take time, and is else laid out as one.

import { expect, it } from 'vitest';
import type { Event } from '../protocol/events';
import { EventLog } from '../store/log';
import { RunLayout } from './run-layout';

const logOf = (length: number) => {
  const log = new EventLog();
  log.append(Array.from({ length }, (_, seq) => ({ kind: 'stdout', seq, text: '' }) as unknown as Event));
  return log;
};

it('lays a short run out anew, as after a stop in a forward pass', () => {
  const [laid, log] = [new RunLayout(), logOf(100)];
  expect(laid.of(log, 'wide', false)).not.toBe(laid.of(log, 'wide', false));
});

it('keeps the layout of a long run on a stage of the same breadth', () => {
  const [laid, log] = [new RunLayout(), logOf(30_000)];
  const first = laid.of(log, 'wide', false);
  expect(laid.of(log, 'wide', false)).toBe(first);
  expect(laid.of(log, 'slim', false)).not.toBe(first);
  expect(laid.of(logOf(30_000), 'slim', false)).not.toBe(first);
});
