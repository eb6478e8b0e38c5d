// Protects: what counts as one step, the stack of gradients, memory by storage, and state at any cursor of a small program.

import { beforeEach, describe, expect, it } from 'vitest';
import { Mentions } from '../facts/mentions';
import { nodeFacts } from '../facts/node-facts';
import type { Event } from '../protocol/events';
import { goldens } from '../protocol/goldens';
import { EventLog } from '../store/log';
import { Timeline } from './timeline';

const recorded = new Map(goldens());
let timeline: Timeline;

function open(name: string): void {
  const log = new EventLog();
  timeline = new Timeline(log);
  log.append(recorded.get(name) as Event[]);
}

const kinds = () => timeline.moments.map((moment) => moment.kind);
const named = (name: string, cursor: number) =>
  timeline.stateAt(cursor).tensors.find((tensor) => tensor.name === name)!;

describe('a first backward pass', () => {
  beforeEach(() => open('01_first_backward'));

  it('takes a node with what it sends and frees as one step', () => {
    const backward = kinds().slice(kinds().indexOf('backward_started'), kinds().indexOf('backward_finished') + 1);
    expect(backward).toEqual([
      'backward_started',
      'node_started',
      'grad_accumulated',
      'node_started',
      'grad_accumulated',
      'backward_finished',
    ]);
  });

  it('shows the line of the forward op while its node runs', () => {
    const moment = timeline.moments.find(({ title }) => title === 'MulBackward0')!;
    expect(moment.line).toBe(7);
    expect(moment.phase).toBe('backward');
  });

  it('fills .grad at its own moment', () => {
    const landing = timeline.moments.findLast((moment) => moment.kind === 'grad_accumulated')!;
    expect(named('w', landing.index - 1).grad).toBeNull();
    expect(named('w', landing.index).grad?.total.values).toEqual([3]);
  });

  it('counts saved storage until it is freed', () => {
    const memory = timeline.memory();
    const freed = timeline.moments.findLast((moment) => moment.kind === 'node_started')!.index;
    expect(memory.saved[freed - 1]).toBe(4);
    expect(memory.saved[freed]).toBe(0);
  });
});

describe('a gradient on its way', () => {
  it('is still there while the node that got it runs', () => {
    const log = new EventLog();
    timeline = new Timeline(log);
    const events = recorded.get('01_first_backward') as Event[];
    const runs = events.findLastIndex(({ kind }) => kind === 'node_started');
    log.append(events.slice(0, runs + 1));
    const { gradients } = timeline.memory();
    expect(timeline.moments.at(-1)?.title).toBe('AccumulateGrad');
    expect(gradients[gradients.length - 1]).toBe(8);
  });
});

describe('a tensor whose memory others share', () => {
  beforeEach(() => open('34_data_zero'));

  it('has the value that a change through .data gave it, and a version of its own', () => {
    const change = [...timeline.log].find((event) => event.kind === 'tensor_mutated')!;
    const whole = [...timeline.history.tensors.values()].find(({ names }) => names.entries[0] === 'y')!;
    const before = timeline.stateAt(timeline.momentOfSeq(change.seq) - 1).tensor(whole.tensor)!;
    const after = timeline.stateAt(timeline.momentOfSeq(change.seq)).tensor(whole.tensor)!;
    expect(before.value.norm).toBeGreaterThan(0);
    expect([after.value.norm, after.version]).toEqual([0, 0]);
    expect(timeline.stateAt(timeline.momentOfSeq(change.seq)).stale(whole.storage)).toEqual([]);
  });
});

describe('the stack of gradients', () => {
  it('grows by a layer with each backward pass until it is cleared', () => {
    open('11_accumulation');
    const layers = timeline.moments
      .filter((moment) => moment.kind === 'grad_accumulated' || moment.kind === 'grad_cleared')
      .map((moment) => named('x', moment.index).grad?.layers.length ?? 0);
    expect(layers.slice(0, 4)).toEqual([1, 2, 0, 1]);
  });
});

describe('saved tensors', () => {
  it('tell a version that has changed', () => {
    open('15_in_place_error');
    const saved = () => timeline.stateAt(timeline.moments.length - 1).nodes.flatMap((node) => node.saved);
    expect(saved().some((slot) => slot.live && slot.version !== slot.versionNow)).toBe(true);
  });

  it('are gone after the first pass', () => {
    open('09_second_backward');
    const error = kinds().indexOf('error_raised');
    const { node } = timeline.stateAt(error).error!;
    expect(
      timeline
        .stateAt(error)
        .node(node!)!
        .saved.every((slot) => !slot.live),
    ).toBe(true);
  });
});

describe('a checkpoint', () => {
  beforeEach(() => open('25_checkpoint'));

  it('steps through what it computes again, and then through the node that waited', () => {
    const titles = timeline.moments.map(({ title }) => title);
    const again = titles.indexOf('checkpoint runs again');
    expect(titles.slice(again - 1, again + 3)).toEqual([
      'SigmoidBackward0',
      'checkpoint runs again',
      'mul',
      'checkpoint has run again',
    ]);
    const resumed = timeline.moments[again + 2]!;
    expect(timeline.eventsOf(resumed).map(({ kind }) => kind)).toContain('gradient_sent');
    expect([timeline.stateAt(again).recomputation?.checkpoint, timeline.stateAt(again + 2).recomputation]).toEqual([
      3,
      null,
    ]);
  });

  it('holds no memory for saved tensors', () => {
    const left = timeline.moments.findIndex(({ title }) => title === 'sigmoid');
    expect(timeline.memory().saved[left]).toBe(0);
  });
});

describe('what a hook packs', () => {
  it('is not held as a saved tensor any longer', () => {
    open('21_saved_tensor_hooks');
    const packed = timeline.moments.findIndex(({ title }) => title.startsWith('pow'));
    expect(timeline.memory().saved[packed]).toBe(0);
  });
});

describe('a change in place', () => {
  it('makes what was saved before it stale', () => {
    open('15_in_place_error');
    const changed = timeline.moments.findIndex(({ title }) => title === 'mul_');
    const { storage } = named('y', changed);
    expect(timeline.stateAt(changed - 1).stale(storage)).toEqual([]);
    expect(
      timeline
        .stateAt(changed)
        .stale(storage)
        .map(({ node, saved }) => [node.name, saved.slot]),
    ).toEqual([['SigmoidBackward0', '_saved_result']]);
  });

  it('of a view waits for the op with all that is told on the way', () => {
    open('19_in_place_on_a_view');
    const changed = timeline.moments.find(({ title }) => title === 'mul_')!;
    expect(timeline.eventsOf(changed).map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['graph_rebased', 'tensor_mutated', 'op_applied']),
    );
    const v = named('v', changed.index);
    expect(timeline.history.nodes.get(v.gradFn!)!.name).toBe('AsStridedBackward0');
  });
});

describe('names', () => {
  it('are the first that a tensor was given: loop variables do not rename parameters', () => {
    open('17_mlp');
    const last = timeline.moments.length - 1;
    expect(timeline.stateAt(last).tensors.map((tensor) => tensor.name)).toContain('W1');
    expect(timeline.stateAt(last).tensors.map((tensor) => tensor.name)).not.toContain('p');
  });
});

describe('a growing log', () => {
  it('is followed, and cleared', () => {
    const events = recorded.get('01_first_backward')!;
    const log = new EventLog();
    const growing = new Timeline(log);
    let changes = 0;
    growing.onChange(() => {
      changes += 1;
    });
    log.append(events.slice(0, 6));
    log.append(events.slice(3, 20));
    expect(log.length).toBe(20);
    expect(changes).toBe(2);
    log.clear();
    expect(growing.moments).toEqual([]);
    expect(() => log.append(events.slice(2, 4))).toThrow(/Event 0 is missing/);
  });
});

it('takes a gradient that the reader changed in place of the one that was sent', () => {
  const whole = recorded.get('40_fan_in') as Event[];
  const first = whole.find((event) => event.kind === 'gradient_sent' && event.total !== null)!;
  const end = whole.findIndex((event) => event.kind === 'node_finished' && event.seq > first.seq);
  const log = new EventLog();
  timeline = new Timeline(log);
  log.append(whole.slice(0, end + 1));
  if (first.kind !== 'gradient_sent') throw new Error();
  const mentions = new Mentions(log);
  const sums = () => {
    const state = timeline.stateAt(timeline.moments.length - 1);
    return {
      arrived: state.arrived(first.to_node, first.output_nr, first.call).map(({ seq }) => seq),
      sent: nodeFacts(mentions, first.node, state.seq)!
        .runs.at(-1)!
        .sent.map(({ seq }) => seq),
    };
  };
  const before = sums();
  const where = { function: '<module>', target: 'sent[0]', expression: '7' };
  log.append([
    { kind: 'value_changed', seq: end + 1, line: 1, ...where } as unknown as Event,
    { ...first, seq: end + 2 },
  ]);
  const changed = (seqs: number[]) => seqs.map((seq) => (seq === first.seq ? end + 2 : seq));
  expect(before.arrived).toContain(first.seq);
  expect(sums()).toEqual({ arrived: changed(before.arrived), sent: changed(before.sent) });
  expect(timeline.moments.at(-1)!.kind).toBe('value_changed');
});
