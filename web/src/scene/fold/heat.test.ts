// Protects: every round of a program has the heat of its own gradients, and keeps it when `.grad` is emptied for the next.

import { describe, expect, it } from 'vitest';
import { MirrorLayout } from '../../layout/mirror';
import { goldens } from '../../protocol/goldens';
import { EventLog } from '../../store/log';
import { Timeline } from '../../timeline/timeline';
import { heatIn } from './heat';

function opened(name: string) {
  const log = new EventLog();
  const timeline = new Timeline(log);
  const layout = new MirrorLayout(log);
  log.append(goldens().find(([golden]) => golden === name)![1]);
  layout.commit();
  const heats = (cursor: number) =>
    layout.chunks.map((chunk) => heatIn(chunk.area, chunk, timeline.stateAt(cursor), layout)?.norm ?? null);
  return { log, timeline, layout, heats };
}

describe('the heat of a training loop', () => {
  const { timeline, layout, heats } = opened('17_mlp');
  const end = timeline.moments.length - 1;

  it('is that of each round once its backward pass has run, and stays', () => {
    const all = heats(end);
    expect(all.length).toBeGreaterThanOrEqual(20);
    expect(all.every((norm) => norm !== null && norm > 0)).toBe(true);
    expect(new Set(all).size).toBe(all.length);
    const third = layout.chunks[2]!;
    const before = timeline.momentOfSeq(third.first);
    const [first, second, now] = heats(before);
    expect([first, second]).toEqual(all.slice(0, 2));
    expect(now).toBe(null);
  });

  it('is the norm of all gradients of the parameters, or of what the round gave where `.grad` is not there', () => {
    const last = layout.chunks.at(-1)!;
    const pass = [...timeline.log].findLast(({ kind }) => kind === 'backward_finished')!;
    const heatAt = (cursor: number) => heatIn(last.area, last, timeline.stateAt(cursor), layout)!;
    const cursor = timeline.momentOfSeq(pass.seq);
    const state = timeline.stateAt(cursor);
    const squares = last.area.wanted.map(({ tensor }) => Number(state.tensor(tensor)!.grad!.total.norm) ** 2);
    const own = heatAt(cursor);
    expect(own.given).toBe(false);
    expect(own.norm).toBeCloseTo(Math.sqrt(squares.reduce((sum, square) => sum + square)), 12);
    expect(timeline.stateAt(end).tensor(last.area.wanted[0]!.tensor)!.grad).toBe(null);
    const given = heatAt(end);
    expect(given.given).toBe(true);
    expect(given.norm).toBeCloseTo(own.norm, 6);
  });
});
