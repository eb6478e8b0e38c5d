// Protects: every recorded program is laid out without overlaps, the same each time, whether at once or in slices that the
// page can stop, and nothing placed ever moves.

import { describe, expect, it, vi } from 'vitest';
import type { Event } from '../protocol/events';
import { goldens } from '../protocol/goldens';
import { EventLog } from '../store/log';
import type { Item } from './graph';
import { MirrorLayout } from './mirror';
import { type Pace, Slices } from './pace/slices';

function laid(events: readonly Event[], batch: number): MirrorLayout {
  const log = new EventLog();
  const layout = new MirrorLayout(log);
  for (let i = 0; i < events.length; i += batch) log.append(events.slice(i, i + batch));
  layout.commit();
  return layout;
}

/** Slices of one event each, which a test calls for. */
class Stepwise implements Pace {
  #run: (() => void) | null = null;
  begin(): void {}
  over(): boolean {
    return true;
  }
  next(run: () => void): void {
    this.#run = run;
  }
  stop(): void {
    this.#run = null;
  }
  /** Runs the next slice; false where none is to come. */
  step(): boolean {
    const run = this.#run;
    this.#run = null;
    run?.();
    return run !== null;
  }
}

const places = (layout: MirrorLayout) =>
  layout.items.map(({ kind, x, y, left, right, height }) => [kind, x, y, left, right, height]);

/** From which to which share of a segment it is between the two bounds of each dimension: its start, how far it goes, and the bounds. */
function within(...sides: [number, number, number, number][]): [number, number] {
  let [enters, leaves] = [0, 1];
  for (const [start, by, least, most] of sides) {
    if (by === 0 && (start <= least || start >= most)) return [1, 0];
    if (by === 0) continue;
    const [one, other] = [(least - start) / by, (most - start) / by];
    enters = Math.max(enters, Math.min(one, other));
    leaves = Math.min(leaves, Math.max(one, other));
  }
  return [enters, leaves];
}

describe('a layout in slices', () => {
  const [, events] = goldens().find(([name]) => name.startsWith('large'))!;

  it('tells those who follow it of what it places, and does nothing more once it is closed', () => {
    const log = new EventLog();
    const pace = new Stepwise();
    const layout = new MirrorLayout(log, pace);
    let told = 0;
    layout.onChange(() => {
      told += 1;
    });
    log.append(events);
    expect(layout.items).toHaveLength(0);
    while (pace.step());
    expect(layout.items.length).toBeGreaterThan(0);
    expect(told).toBeGreaterThan(0);

    const other = new MirrorLayout(log, pace);
    expect(other.behind).toBe(true);
    other.close();
    expect(pace.step()).toBe(false);
  });

  it('takes what is there already as a whole where it is told to', () => {
    const log = new EventLog();
    log.append(events);
    const layout = new MirrorLayout(log, new Slices({ whole: true, first: 0 }));
    expect(layout.behind).toBe(false);
    layout.close();
  });

  it('gives the page its turn between two slices of the clock', async () => {
    const log = new EventLog();
    const pace = new Slices({ first: 0 });
    const layout = new MirrorLayout(log, pace);
    log.append(events);
    expect(layout.behind).toBe(true);
    await vi.waitFor(() => expect(layout.behind).toBe(false));
    layout.close();
    expect(places(layout)).toEqual(places(laid(events, events.length)));
  });
});

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

  it('comes out the same in slices, and keeps every place from one to the next', () => {
    const log = new EventLog();
    const pace = new Stepwise();
    const layout = new MirrorLayout(log, pace);
    const half = Math.floor(events.length / 2);
    log.append(events.slice(0, half));
    for (let i = 0; i < half / 2; i += 1) pace.step();
    log.append(events.slice(half));
    let placed = layout.items.length;
    let steps = 0;
    while (pace.step()) {
      expect(layout.items.length).toBeGreaterThanOrEqual(placed);
      placed = layout.items.length;
      steps += 1;
    }
    expect(steps).toBeGreaterThan(half / 2);
    expect(layout.behind).toBe(false);
    layout.commit();
    expect(places(layout)).toEqual(places(laid(events, events.length)));
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
        const { points } = link;
        const [left, right] = [item.x - item.left + 2, item.x + item.right];
        const [top, bottom] = [item.y + 1, item.y + item.height - 1];
        for (let i = 2; i < points.length; i += 2) {
          const [x, y] = [points[i - 2]!, points[i - 1]!];
          const [dx, dy] = [points[i]! - x, points[i + 1]! - y];
          const [enters, leaves] = within([x, dx, left, right], [y, dy, top, bottom]);
          expect(enters < leaves, `an edge to ${link.to.text} through ${item.text}`).toBe(false);
        }
      }
    }
  });
});
