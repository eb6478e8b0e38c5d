// Protects: every step of every recorded program begins at the event and has the sentence that the engine's side gives it.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Event } from '../protocol/events';
import { goldens } from '../protocol/goldens';
import { EventLog } from '../store/log';
import { Timeline } from '../timeline/timeline';
import { type OpSentence, sentence } from './caption';
import { placeOf, placeText } from './step-place';

const SENTENCES = join(import.meta.dirname, '../../../tests/golden/sentences');
const OPS = JSON.parse(readFileSync(join(SENTENCES, 'ops.json'), 'utf8')) as OpSentence[];

/** The number of each step, its first event, its sentence and where it happened. */
function told(events: Event[]): string[][] {
  const log = new EventLog();
  const timeline = new Timeline(log);
  log.append(events);
  return timeline.moments.map((moment) => {
    const state = timeline.stateAt(moment.index);
    const place = placeText(placeOf(state, moment, timeline.eventsOf(moment)));
    return [String(moment.index + 1), String(moment.first), sentence(state, moment, log, OPS), place];
  });
}

describe.each(goldens())('%s', (name, events) => {
  const steps = told(events);

  it('has a sentence for every step', () => {
    for (const [, , text] of steps) {
      expect(text).toMatch(/^\S.*[.”]$/s);
      expect(text).not.toMatch(/undefined|null|\{|\[object/);
    }
  });

  // `npx vitest run src/caption/golden.test.ts -u` writes the files anew.
  it('has the steps and sentences that were recorded', async () => {
    const lines = steps.map((step) => step.join('\t').trimEnd().replaceAll('\n', '\\n'));
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(join(SENTENCES, `${name}.txt`));
  });
});
