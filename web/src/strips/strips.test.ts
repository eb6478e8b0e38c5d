// Protects: loss, gradient norms and lifetimes of recorded runs are those that the events tell.

import { describe, expect, it } from 'vitest';
import { goldens } from '../protocol/goldens';
import { EventLog } from '../store/log';
import { Timeline } from '../timeline/timeline';
import { allLifetimes, isHeldAt, labelsOf, largestLifetimes, lifetimesOf } from './lifetimes';
import { columnsOf, lossesOf, normAt, normsOf, rangeOf } from './training';

const recorded = new Map(goldens());

function run(name: string) {
  const log = new EventLog();
  const timeline = new Timeline(log);
  log.append(recorded.get(name)!);
  return { events: [...log], history: timeline.history };
}

describe('training', () => {
  it('finds the loss of a loop with its value at each pass', () => {
    const { events, history } = run('training');
    const losses = lossesOf(history);
    expect(losses.map(({ name }) => name)).toEqual(['loss']);
    const passes = events.filter(({ kind }) => kind === 'backward_started');
    expect(losses[0]!.curve.seqs).toHaveLength(passes.length);
    for (const event of passes) {
      if (event.kind !== 'backward_started') continue;
      const value = history.tensors.get(event.roots[0]!)!.values.at(event.seq)!.values[0];
      expect(losses[0]!.curve.at(event.seq)).toEqual({ number: value });
    }
  });

  it('has the value of a loss from the step on at which its op ran', () => {
    const { events, history } = run('training');
    const [loss] = lossesOf(history);
    for (const event of events) {
      if (event.kind !== 'backward_started') continue;
      const made = events.find((op) => op.kind === 'op_applied' && op.outputs[0]?.tensor === event.roots[0])!;
      expect(loss!.curve.at(made.seq)).toEqual(loss!.curve.at(event.seq));
      expect(made.seq).toBeLessThan(event.seq);
    }
  });

  it('tells several losses of one loop apart', () => {
    expect(lossesOf(run('35_gan_step').history).length).toBeLessThanOrEqual(6);
    expect(lossesOf(run('01_first_backward').history)).toEqual([]);
  });

  it('has the norm of every .grad as it arrived, and none before', () => {
    const { events, history } = run('training');
    const all = normsOf(history);
    expect(all.length).toBeGreaterThan(0);
    for (const event of events) {
      if (event.kind !== 'grad_accumulated') continue;
      const one = all.find(({ tensor }) => tensor === event.tensor)!;
      expect(normAt(one, event.seq)).toBe(Number(event.after.norm));
      expect(normAt(one, -1)).toBeNull();
    }
    const range = rangeOf(all)!;
    expect(range.least).toBeLessThanOrEqual(range.most);
  });

  it('has no norm from where a .grad is cleared until the next gradient arrives', () => {
    const { events, history } = run('training');
    const all = normsOf(history);
    const cleared = events.flatMap((event) => (event.kind === 'grad_cleared' ? event : []));
    expect(cleared.length).toBeGreaterThan(0);
    for (const { tensor, seq, how } of cleared) {
      const one = all.find((row) => row.tensor === tensor)!;
      expect(normAt(one, seq)).toBe(how === 'none' ? null : 0);
      const next = events.find(
        (event) => event.kind === 'grad_accumulated' && event.tensor === tensor && event.seq > seq,
      );
      if (next)
        expect(columnsOf(one, [seq, next.seq - 1, next.seq]).slice(1)).toEqual([normAt(one, seq), expect.any(Number)]);
    }
  });

  it('squeezes norms into columns without losing the largest, or what is not finite', () => {
    const one = { tensor: 1, name: 'w', seqs: [2, 4, 8], norms: [1, 5, 2] };
    expect(columnsOf(one, [1, 5, 7, 9])).toEqual([null, 5, 5, 5]);
    expect(columnsOf(one, [8, 9, 10])).toEqual([5, 2, 2]);
    expect(columnsOf({ ...one, norms: [1, Number.NaN, 3] }, [9])).toEqual([Number.NaN]);
    expect(columnsOf({ ...one, norms: [1, null, 3] }, [3, 4, 7, 8, 9])).toEqual([1, 1, null, 3, 3]);
    expect(rangeOf([{ ...one, norms: [0, Number.NaN, 0] }])).toBeNull();
  });
});

describe('lifetimes', () => {
  it('reach from the op to where the buffer is freed', () => {
    const { events, history } = run('training');
    const freed = events.find((event) => event.kind === 'buffer_freed')!;
    if (freed.kind !== 'buffer_freed') return;
    const rows = lifetimesOf({ type: 'node', node: freed.node }, history)!;
    const row = rows.find(({ slot }) => slot === freed.slot)!;
    expect(row.parts).toEqual([{ born: history.nodes.get(freed.node)!.born, end: freed.seq }]);
    expect(lifetimesOf(null, history)).toBeNull();
  });

  it('of memory that every step saves again have a part for each step', () => {
    const { history } = run('training');
    const again = allLifetimes(history).filter(({ parts }) => parts.length > 1);
    expect(again.length).toBeGreaterThan(0);
    for (const { parts } of again) {
      parts.slice(1).forEach(({ born }, i) => {
        expect(born).toBeGreaterThan(parts[i]!.end);
      });
    }
  });

  it('have names of their own', () => {
    const { history } = run('training');
    const all = allLifetimes(history);
    const labels = labelsOf(all, all);
    expect(new Set(labels).size).toBe(all.length);
    const [one] = all;
    expect(labelsOf([one!], [one!])).toEqual([`${one!.name} ${one!.slot.replace('_saved_', '')}`]);
    const [twin, later] = [
      { ...one!, node: one!.node + 1 },
      { ...one!, node: one!.node + 2, line: 99 },
    ];
    expect(labelsOf([one!, later], [one!, twin, later]).map((label) => label.split(', ').slice(1))).toEqual([
      [`line ${one!.line}`, 'no. 1'],
      ['line 99'],
    ]);
  });

  it('begin with the largest that are held', () => {
    const { events, history } = run('training');
    const seq = events.find(({ kind }) => kind === 'backward_started')!.seq;
    const rows = largestLifetimes(allLifetimes(history), seq);
    const isHeld = rows.map((row) => isHeldAt(row, seq));
    expect(isHeld[0]).toBe(true);
    expect(isHeld.lastIndexOf(true)).toBe(isHeld.filter(Boolean).length - 1);
    const held = rows.filter((_, i) => isHeld[i]);
    expect(held.map(({ nbytes }) => nbytes)).toEqual(held.map(({ nbytes }) => nbytes).sort((a, b) => b - a));
  });
});
