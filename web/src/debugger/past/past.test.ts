// Protects: questions about time are answered from the log as the terminal answers them.

import { beforeAll, describe, expect, it } from 'vitest';
import { goldens } from '../../protocol/goldens';
import { Run } from '../../run/run.svelte';
import type { SentBreakpoint } from '../breakpoint';
import { fromLog } from './from-log';
import { lastWrite } from './last-write';
import { elementAt, readTyped, tensorNamed } from './named';
import { lastStop, needsProgram } from './past-stops';
import { begins } from './running-lines';

const runs = new Map<string, Run>();
beforeAll(() => {
  for (const [name, events] of goldens()) {
    if (!['training', 'non_finite'].includes(name)) continue;
    const run = Run.recorded();
    run.take(events);
    runs.set(name, run);
  }
});
const runOf = (name: string) => runs.get(name)!;
const end = (run: Run) => run.timeline.moments.length;

/** The moments that one goes back to from the end, one after the other. */
function backwards(run: Run, breakpoints: SentBreakpoint[]): number[] {
  const found: number[] = [];
  for (let here = end(run); here >= 0; ) {
    here = lastStop(run, here, breakpoints);
    if (here >= 0) found.push(here);
  }
  return found;
}

describe('the last breakpoint', () => {
  it('is where the program came to the line, once for each pass', () => {
    const run = runOf('training');
    const line = run.timeline.moments.find(({ kind }) => kind === 'backward_started')!.line!;
    const found = backwards(run, [{ on: 'line', id: 1, line }]);
    expect(found.length).toBeGreaterThan(1);
    expect(found).toEqual(found.toSorted((a, b) => b - a));
    for (const index of found) expect(begins(run, index, line)).toBe(true);
    expect(run.timeline.moments[found[0]!]!.kind).toBe('backward_started');
  });

  it('is at an op, a node, what becomes of a tensor, and an error', () => {
    const run = runOf('training');
    const { moments, history } = run.timeline;
    const [node] = [...history.nodes.values()].filter(({ starts }) => starts.seqs.length > 0);
    const stop: SentBreakpoint = { on: 'node', id: 1, node: node!.node };
    expect(backwards(run, [stop]).map((index) => moments[index]!.node)).toContain(node!.node);
    const named = backwards(run, [{ on: 'op', id: 1, name: node!.name }]);
    expect(named.every((index) => history.nodes.get(moments[index]!.node!)?.name === node!.name)).toBe(true);
    const leaf = [...history.nodes.values()].find(({ leaf }) => leaf !== null)!.leaf!;
    const grads = backwards(run, [{ on: 'tensor', id: 1, tensor: leaf, when: 'gradient' }]);
    expect(grads.every((index) => moments[index]!.kind === 'grad_accumulated')).toBe(true);
    expect(grads.length).toBeGreaterThan(0);
    expect(backwards(run, [{ on: 'exception', id: 1 }])).toEqual([]);
  });

  it('needs the program where it has a condition or counts hits', () => {
    expect(needsProgram({ on: 'line', id: 1, line: 3 })).toBe(false);
    expect(needsProgram({ on: 'line', id: 1, line: 3, hits: 2 })).toBe(true);
    expect(needsProgram({ on: 'line', id: 1, line: 3, condition: 'i > 2' })).toBe(true);
  });

  it('is where NaN came to be, and not where it spread to', () => {
    const run = runOf('non_finite');
    const seqs = run.firstNans.seqs;
    const found = backwards(run, [{ on: 'non_finite', id: 1 }]);
    expect(found.toReversed()).toEqual([...new Set(seqs.map((seq) => run.timeline.momentOfSeq(seq)))]);
    expect(found.length).toBeGreaterThan(0);
  });
});

describe('the last write', () => {
  it('is of a tensor, of its .grad, and of an element that got another value', async () => {
    const run = runOf('training');
    const { history } = run.timeline;
    const [leaf] = [...history.stepped.keys()];
    const written = history.tensors.get(leaf!)!.values;
    const after = run.log.length;
    const of = async (written: Parameters<typeof lastWrite>[1], before = after) =>
      (await lastWrite(run, written, before, null)) as { seq: number | null };
    expect(await of({ tensor: leaf!, of: 'data', element: null })).toEqual({ seq: written.seqs.at(-1) });
    expect(await of({ tensor: leaf!, of: 'data', element: null }, written.seqs.at(-1)!)).toEqual({
      seq: written.seqs.at(-2),
    });
    expect(await of({ tensor: leaf!, of: 'data', element: null }, 0)).toEqual({ seq: null });
    const first = written.entries[0]!.shape.map(() => 0);
    const element = await of({ tensor: leaf!, of: 'data', element: first });
    expect(written.seqs).toContain(element.seq);
    expect((await of({ tensor: leaf!, of: 'grad', element: null })).seq).toBe(history.gradients.of(leaf!).seqs.at(-1));
    const outside = await lastWrite(run, { tensor: leaf!, of: 'data', element: [99, 99, 99] }, after, null);
    expect(outside).toEqual({ noElement: true });
  });
});

describe('what is typed', () => {
  it.each([
    ['w', { name: 'w', grad: false, element: null }],
    [' w.grad [0, -1] ', { name: 'w', grad: true, element: [0, -1] }],
    ['model.fc.weight[2]', { name: 'model.fc.weight', grad: false, element: [2] }],
    ['w + 1', null],
    ['w.sum()', null],
  ])('%s', (text, read) => {
    expect(readTyped(text)).toEqual(read);
  });

  it('names elements from either end', () => {
    expect(elementAt([1, -1], [2, 3])).toBe(5);
    expect(elementAt([2, 0], [2, 3])).toBeNull();
    expect(elementAt([], [])).toBe(0);
    expect(elementAt([0], [])).toBeNull();
  });
});

describe('a print that is added to a recording', () => {
  it('has the values that the log has, before the line ran', () => {
    const run = runOf('training');
    const naming = [...run.log].findLast((event) => event.kind === 'tensor_named')!;
    const name = naming.kind === 'tensor_named' ? naming.name : '';
    const line = run.timeline.moments.findLast(({ first, line }) => first > naming.seq && line !== null)?.line;
    expect(tensorNamed(run.log, name, run.log.length)).toBe(naming.kind === 'tensor_named' && naming.tensor);
    const passes = fromLog(run, line!, name);
    expect(passes?.length).toBeGreaterThan(0);
    for (const { moment } of passes!) expect(begins(run, moment, line!)).toBe(true);
    expect(passes!.at(-1)!.refused).toBe(false);
    expect(fromLog(run, line!, 'unknown')).toBeNull();
    expect(fromLog(run, line!, 'len(name)')).toBeNull();
  });
});
