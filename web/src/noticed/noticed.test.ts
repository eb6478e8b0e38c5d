// Protects: what a run is said to have done wrong, it did, and examples that do nothing wrong have no note.

import { describe, expect, it, vi } from 'vitest';
import { atOnce } from '../find/work-slices';
import type { Event } from '../protocol/events';
import { goldens } from '../protocol/goldens';
import { Run } from '../run/run.svelte';
import { litBy, type Note } from './note';
import { noticed } from './noticed';
import notice, { type Noticing } from './noticing.svelte';
import { sentenceOf } from './sentence';

/** The notes of the recorded programs that have some; all others have none. */
const NOTES: Record<string, string[]> = {
  '27_history_cut': ['No backward pass reached w: detach() at line 5 cuts the way back.'],
  '28_where_nan': ['The first infinity comes from log at line 4.'],
  '31_grad_none': ['No backward pass reached unused: no op uses it.'],
  '35_gan_step': ['No backward pass reached generator: detach() at line 10 cuts the way back.'],
  '43_nan_spreads': ['The first NaN is in the gradient that SqrtBackward0 of line 8 sends.'],
  non_finite: ['The first NaN is in the gradient that SqrtBackward0 of line 4 sends.'],
  mistakes: [
    'The gradients of net.last were not cleared between SGD steps 1 and 2: they add up.',
    'No backward pass reached net.first: detach() at line 15 cuts the way back.',
    'No backward pass reached net.unused: no op uses it.',
  ],
  idle_steps: [
    'None of the 3 SGD steps changed anything: the learning rate is 0.',
    'None of the 2 SGD steps changed anything: line 13 empties the gradients after the backward pass.',
    'u.grad was not cleared between updates 1 and 2: it adds up.',
  ],
};

function notesOf(events: readonly Event[]): { run: Run; notes: Note[] } {
  const run = Run.recorded();
  run.take([...events]);
  return { run, notes: atOnce(noticed(run.log, run.timeline.history, run.firstNans)) };
}
function golden(name: string): Event[] {
  return goldens().find(([one]) => one === name)![1];
}
const said = (events: readonly Event[]) => notesOf(events).notes.map(sentenceOf);

it.each(goldens())('%s', (name, events) => {
  expect(said(events)).toEqual(NOTES[name] ?? []);
});

it('calls no leaf by a name that it does not have', () => {
  const update = { optimizer: 'SGD', number: 1 };
  const found = { seq: 0, known: 1, line: null, tensors: [4] };
  const stale = { ...found, kind: 'notCleared', from: update, to: { ...update, number: 2 } } as const;
  const text = 'not cleared between SGD steps 1 and 2';
  expect(sentenceOf({ ...stale, names: ['w'] })).toBe(`w.grad was ${text}: it adds up.`);
  expect(sentenceOf({ ...stale, names: [] })).toBe(`The gradients of some leaves were ${text}: they add up.`);
});

it('reads a finished run once, and a new run in its place', async () => {
  const page = { noticing: null as Noticing | null, run: null, moveToSeq: () => {}, select: () => {} };
  const { run } = notesOf(golden('mistakes'));
  notice(page, run);
  const first = page.noticing!;
  notice(page, run);
  expect(page.noticing).toBe(first);
  await vi.waitFor(() => expect(first.notes.map(sentenceOf)).toEqual(NOTES.mistakes));
  const { run: other } = notesOf(golden('31_grad_none'));
  notice(page, other);
  expect(page.noticing?.run).toBe(other);
  await vi.waitFor(() => expect(page.noticing?.notes).toHaveLength(1));
});

it('leads to the step that shows it, and lights what it is about', () => {
  const { run, notes } = notesOf(golden('mistakes'));
  const [piled, cut] = notes as [Note, Note];
  const added = run.log.at(piled.seq)!;
  expect(added).toMatchObject({ kind: 'grad_accumulated', tensor: piled.tensors[0] });
  expect(piled.line).toBe(22);
  expect(run.log.at(piled.known)).toMatchObject({ kind: 'optimizer_stepped', number: 2 });
  const detach = run.log.at(cut.seq)!;
  if (detach.kind !== 'op_applied') throw new Error(detach.kind);
  expect(detach.op).toBe('detach');
  expect([...litBy(cut).tensors]).toEqual([...cut.tensors, detach.outputs[0]!.tensor]);
});

describe('changes of a recorded program', () => {
  /** A training loop that clears its gradients as it should, with events changed on the way. */
  const changed = (name: string, change: (event: Event) => Event | null) =>
    golden(name)
      .flatMap((event) => change(structuredClone(event)) ?? [])
      .map((event, seq) => ({ ...event, seq }));

  it('calls gradients cleared once they are None before the next pass', () => {
    const mistakes = golden('mistakes');
    // The same run with every gradient emptied before the second pass, as zero_grad does.
    const second = mistakes.filter(({ kind }) => kind === 'backward_started')[1]!;
    const events = mistakes
      .flatMap((event): Event[] => {
        if (event.seq > second.seq && event.kind === 'grad_accumulated') return [{ ...event, before: null }];
        return [event];
      })
      .map((event, seq) => ({ ...event, seq }));
    expect(said(events)).toEqual(NOTES.mistakes!.slice(1));
  });

  it('does not count frozen parameters as missed', () => {
    const frozen = changed('mistakes', (event) => {
      if (event.kind === 'tensor_created' && event.origin === 'Parameter' && (event.line ?? 0) < 12)
        event.info.requires_grad = false;
      return event;
    });
    expect(said(frozen)).toEqual(NOTES.mistakes!.slice(0, 1));
  });

  it('takes a rate of zero in some steps for a schedule', () => {
    const scheduled = changed('idle_steps', (event) => {
      if (event.kind === 'optimizer_stepped' && event.groups[0]?.lr === 0 && event.number === 3) {
        const [update] = event.updates;
        update!.change = { ...update!.before, norm: 1 };
      }
      return event;
    });
    expect(said(scheduled)).toEqual(NOTES.idle_steps!.slice(1));
  });
});
