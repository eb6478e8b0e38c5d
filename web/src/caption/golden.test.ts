// Protects: every moment of every recorded program has a sentence, and none of them leaks what readers cannot know.

import { describe, expect, it } from 'vitest';
import type { Event } from '../protocol/events';
import { goldens } from '../protocol/goldens';
import { EventLog } from '../store/log';
import { Timeline } from '../timeline/timeline';
import { sentence } from './caption';

function sentences(events: Event[], ops = []): string[] {
  const log = new EventLog();
  const timeline = new Timeline(log);
  log.append(events);
  return timeline.moments.map((moment) => sentence(timeline.stateAt(moment.index), moment, log, ops));
}

describe.each(goldens())('%s', (_, events) => {
  it('has a sentence for every moment', () => {
    for (const text of sentences(events)) {
      expect(text).toMatch(/^\S.*[.”]$/s);
      expect(text).not.toMatch(/undefined|null|\{|\[object/);
    }
  });
});
