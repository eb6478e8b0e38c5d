// Protects: each moment has the module and the rounds that it is in, and "of 20" comes from the log as it is.

import { describe, expect, it } from 'vitest';
import { placeOf, placeText, roundsText } from '../caption/step-place';
import type { Event } from '../protocol/events';
import { goldens } from '../protocol/goldens';
import { EventLog } from '../store/log';
import { type Round, stepOf } from './module-calls';
import { Timeline } from './timeline';

function timelineOf(events: Event[]): Timeline {
  const log = new EventLog();
  const timeline = new Timeline(log);
  log.append(events);
  return timeline;
}

const events = goldens().find(([name]) => name === 'training')![1];
const timeline = timelineOf(events);
const { whereabouts } = timeline.history;
const seqsOf = (kind: Event['kind']) => events.filter((event) => event.kind === kind).map(({ seq }) => seq);

describe('where things happen', () => {
  it('counts the steps of the loop in which the optimizer steps, then the loop around it', () => {
    expect(seqsOf('optimizer_stepped').map((seq) => roundsText(whereabouts.roundsAt(seq)))).toEqual([
      'round 1 of 2 of “for x”, round 1 of 2 of “for epoch”',
      'round 2 of 2 of “for x”, round 1 of 2 of “for epoch”',
      'round 1 of 2 of “for x”, round 2 of 2 of “for epoch”',
      'round 2 of 2 of “for x”, round 2 of 2 of “for epoch”',
    ]);
  });

  it('tells the rounds inside of a step apart', () => {
    const tanh = events.filter((event) => event.kind === 'op_applied' && event.op === 'tanh').slice(0, 2);
    expect(tanh.map(({ seq }) => roundsText(whereabouts.roundsAt(seq)))).toEqual([
      'round 1 of 2 of “for x”, round 1 of 2 of “for t”, round 1 of 2 of “for epoch”',
      'round 1 of 2 of “for x”, round 2 of 2 of “for t”, round 1 of 2 of “for epoch”',
    ]);
  });

  it('says how many rounds there are as far as the log goes', () => {
    const second = seqsOf('optimizer_stepped')[1]!;
    const partial = timelineOf(events.slice(0, second + 1));
    const rounds = partial.history.whereabouts.roundsAt(second);
    expect(stepOf(rounds)).toMatchObject({ round: 2, of: 2 });
    expect(rounds[0]).toMatchObject({ round: 1, of: 1 });
    expect(roundsText(rounds)).toBe('round 2 of “for x”, round 1 of “for epoch”');
  });

  it('names the only loop by nothing, and says nothing of loops of one round', () => {
    const run = { total: 3, text: 'for i in range(3)', steps: true, passes: false };
    const outer = { ...run, total: 1, text: 'for epoch in range(1)' };
    const rounds = (...runs: object[]) => runs.map((run) => ({ run, round: 1, of: 1 })) as unknown as Round[];
    expect(roundsText(rounds(outer, run))).toBe('round 1 of 3');
    expect(roundsText(rounds(outer, { ...run, total: null }))).toBe('round 1');
    expect(roundsText(rounds(outer))).toBe('');
    expect(roundsText(rounds({ ...run, steps: false }))).toBe('round 1 of 3 of “for i”');
  });

  it('gives backward nodes the path of their forward op', () => {
    const places = timeline.moments
      .filter(({ kind, node }) => kind === 'node_started' && node !== null)
      .map((moment) => placeOf(timeline.stateAt(moment.index), moment, timeline.eventsOf(moment)));
    expect(places.map(({ module }) => module).slice(0, 4)).toEqual([null, null, 'model.head.0', 'model.head.0']);
    expect(new Set(places.map(({ module }) => module))).toContain('model.cell.linear');
  });

  it('gives backward nodes the rounds of their forward op, which a loop around both began', () => {
    const tanh = timeline.moments.filter(({ title }) => title === 'TanhBackward0').slice(0, 3);
    const places = tanh.map((moment) => placeOf(timeline.stateAt(moment.index), moment, timeline.eventsOf(moment)));
    expect(places.map(({ rounds }) => rounds)).toEqual([
      'round 1 of 2 of “for x”, round 2 of 2 of “for t”, round 1 of 2 of “for epoch”',
      'round 1 of 2 of “for x”, round 1 of 2 of “for t”, round 1 of 2 of “for epoch”',
      'round 2 of 2 of “for x”, round 2 of 2 of “for t”, round 1 of 2 of “for epoch”',
    ]);
  });

  it('counts the calls of a module within those of its caller', () => {
    const moment = timeline.moments.filter(({ title }) => title === 'tanh')[1]!;
    const place = placeOf(timeline.stateAt(moment.index), moment, timeline.eventsOf(moment));
    expect(placeText(place)).toBe(
      'in model.cell (call 2), round 1 of 2 of “for x”, round 2 of 2 of “for t”, round 1 of 2 of “for epoch”',
    );
  });

  it('is nowhere outside of loops and modules', () => {
    const last = timeline.moments.at(-1)!;
    expect(whereabouts.callAt(last.last)).toBeNull();
    expect(whereabouts.roundsAt(last.last)).toEqual([]);
  });
});
