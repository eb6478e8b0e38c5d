// Protects: an error that the program catches is distinguished from one that ends it.

import { describe, expect, it } from 'vitest';
import type { Event } from '../protocol/events';
import { ErrorOutcomes } from './error-outcome';

const engine = (message = 'no') => ({ kind: 'error_raised', stage: 'engine', type: 'RuntimeError', message });
const program = (message = 'no') => ({ ...engine(message), stage: 'program' });
const print = { kind: 'output_printed' };
const end = (status: string) => ({ kind: 'program_finished', status });

function outcomesOf(...events: object[]): ErrorOutcomes {
  const outcomes = new ErrorOutcomes();
  events.forEach((event, seq) => {
    outcomes.add({ ...event, seq } as unknown as Event);
  });
  return outcomes;
}

describe('the fate of errors', () => {
  it.each([
    ['ends the program', [engine(), program(), end('error')], [], 1],
    ['passes a finally that prints', [engine(), print, program(), end('error')], [], 2],
    ['is caught, and the program goes on', [engine(), print, end('ok')], [0], null],
    ['is caught by the last statement', [engine(), end('ok')], [0], null],
    ['is caught, and another ends the program', [engine(), engine('other'), program('other')], [0], 2],
    ['is caught twice', [engine(), print, engine(), print], [0, 2], null],
    ['is caught before a limit strikes', [engine(), print, { ...program('slow'), stage: 'limit' }], [0], 2],
    ['is not known yet', [engine()], [], null],
  ])('%s', (_, events, caught, ended) => {
    const outcomes = outcomesOf(...events);
    expect(events.flatMap((_, seq) => (outcomes.isCaught({ seq }) ? [seq] : []))).toEqual(caught);
    expect(outcomes.ended?.seq ?? null).toBe(ended);
  });
});
