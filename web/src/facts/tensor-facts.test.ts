// Protects: the value of a tensor at a moment is the same alone as among all its facts.

import { expect, it } from 'vitest';
import { goldens } from '../protocol/goldens';
import { EventLog } from '../store/log';
import { Mentions, mentioned } from './mentions';
import { tensorFacts, tensorValue } from './tensor-facts';

it.each(goldens())('each tensor of %s has one value at each moment that is about it', (_, events) => {
  const log = new EventLog();
  log.append(events);
  const mentions = new Mentions(log);
  for (const event of events) {
    for (const tensor of mentioned(event).tensors) {
      for (const seq of [event.seq - 1, event.seq]) {
        expect(tensorValue(mentions, tensor, seq)).toEqual(tensorFacts(mentions, tensor, seq)?.value ?? null);
      }
    }
  }
});
