// Protects: every recorded program is laid out without overlaps, the same each time, and nothing placed ever moves.

import { describe, expect, it } from 'vitest';
import type { Event } from '../protocol/events';
import { goldens } from '../protocol/goldens';
import { EventLog } from '../store/log';
import type { Item } from './graph';
import { MirrorLayout } from './mirror';

function laid(events: readonly Event[], batch: number): MirrorLayout {
  const log = new EventLog();
  const layout = new MirrorLayout(log);
  for (let i = 0; i < events.length; i += batch) log.append(events.slice(i, i + batch));
  layout.commit();
  return layout;
}

const places = (layout: MirrorLayout) =>
  layout.items.map(({ kind, x, y, left, right, height }) => [kind, x, y, left, right, height]);

describe.each(goldens())('%s', (_, events) => {
  it('has no overlaps', () => {
    const layout = laid(events, events.length);
    const apart = (a: Item, b: Item) =>
      a.x + a.right <= b.x - b.left || b.x + b.right <= a.x - a.left || a.y + a.height <= b.y || b.y + b.height <= a.y;
    for (const chunk of layout.chunks) {
      chunk.items.forEach((a, i) => {
        for (const b of chunk.items.slice(i + 1)) expect(apart(a, b), `${a.text} and ${b.text}`).toBe(true);
      });
    }
    for (const a of layout.chunks) {
      for (const b of layout.chunks.slice(a.index + 1)) {
        const { rect: r } = a;
        const { rect: s } = b;
        expect(r.x + r.width <= s.x || s.x + s.width <= r.x || r.y + r.height <= s.y || s.y + s.height <= r.y).toBe(
          true,
        );
      }
    }
  });

  it('does not depend on how the events arrive', () => {
    expect(places(laid(events, 7))).toEqual(places(laid(events, events.length)));
  });

  it('keeps every place while it grows', () => {
    const log = new EventLog();
    const layout = new MirrorLayout(log);
    let before = places(layout);
    for (let i = 0; i < events.length; i += 5) {
      log.append(events.slice(i, i + 5));
      const now = places(layout);
      expect(now.slice(0, before.length)).toEqual(before);
      before = now;
    }
  });

  it('draws no edge through another item', () => {
    const layout = laid(events, events.length);
    for (const link of layout.links) {
      for (const item of layout.chunks[link.chunk]!.items) {
        if (item === link.from || item === link.to) continue;
        for (let i = 0; i < link.points.length; i += 2) {
          const x = link.points[i]!;
          const y = link.points[i + 1]!;
          const inside =
            x > item.x - item.left + 2 && x < item.x + item.right && y > item.y + 1 && y < item.y + item.height - 1;
          expect(inside, `an edge to ${link.to.text} through ${item.text}`).toBe(false);
        }
      }
    }
  });
});
