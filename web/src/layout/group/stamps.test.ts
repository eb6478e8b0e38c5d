// Protects: a group that takes over what an equal one came to is placed as if it were laid out by itself.

import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Event } from '../../protocol/events';
import { goldens } from '../../protocol/goldens';
import { EventLog } from '../../store/log';
import { MirrorLayout } from '../mirror';
import { Stamps } from './stamps';

/** Everything that is placed, with the courses of links and the names of grounds. */
function placed(events: readonly Event[]) {
  const log = new EventLog();
  const layout = new MirrorLayout(log);
  log.append(events);
  layout.commit();
  return {
    items: layout.items.map(({ x, y }) => [x, y]),
    links: layout.links.map(({ port, points, labelX, labelY }) => [port, labelX, labelY, ...points]),
    frames: layout.chunks.flatMap(({ frames }) =>
      frames.map(({ rect, labelX, label }) => [{ ...rect }, labelX, label]),
    ),
  };
}

describe('groups that are alike', () => {
  afterEach(() => vi.restoreAllMocks());

  it.each(goldens())('stand in %s as if each were laid out', (_, events) => {
    const stamped = placed(events);
    vi.spyOn(Stamps.prototype, 'take').mockReturnValue(false);
    expect(placed(events)).toEqual(stamped);
  });

  it('are found', () => {
    const take = vi.spyOn(Stamps.prototype, 'take');
    for (const [, events] of goldens()) placed(events);
    expect(take.mock.results.filter(({ value }) => value === true).length).toBeGreaterThan(0);
  });
});
