// Protects: lengths of time and places in a line are written as people say them.

import { expect, it } from 'vitest';
import { ordinal, span } from './duration';

it('says lengths of time as people do', () => {
  const said = [0, 0.2, 12.1, 59, 60, 90, 120, 600, 3600, 7200, 5400].map(span);
  expect(said).toEqual([
    '0 s',
    '1 s',
    '13 s',
    '59 s',
    '1 minute',
    '90 s',
    '2 minutes',
    '10 minutes',
    '1 hour',
    '2 hours',
    '90 minutes',
  ]);
});

it('says places', () => {
  expect([1, 2, 3, 4, 10, 11, 12, 13, 21, 22, 23, 101, 111].map(ordinal)).toEqual([
    '1st',
    '2nd',
    '3rd',
    '4th',
    '10th',
    '11th',
    '12th',
    '13th',
    '21st',
    '22nd',
    '23rd',
    '101st',
    '111th',
  ]);
});
