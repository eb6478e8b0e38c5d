// Protects: a program without a graph gets the reason, with the line to change; a run that was stopped leads to its end.

import { render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import type { ErrorRaised, Event } from '../protocol/events';
import { logged } from '../store/logged';
import Situation from './Situation.svelte';
import { failureAhead, missingGraph } from './situation';

const created = (line: number, requires_grad = false) => ({
  kind: 'tensor_created',
  seq: 0,
  line,
  origin: 'tensor',
  info: { tensor: 1, requires_grad },
});
const of = (events: readonly object[]) => logged(events.map((event, seq) => ({ ...event, seq }) as Event));
const named = { kind: 'tensor_named', seq: 1, line: 3, tensor: 1, name: 'w' };

it('tells of an error that lies ahead, until it is there', () => {
  const ended = { seq: 20, line: 9, type: 'RuntimeError' } as unknown as ErrorRaised;
  expect(failureAhead(ended, 12)).toBe('RuntimeError at line 9');
  expect(failureAhead(ended, 20)).toBeNull();
  expect(failureAhead(null, 12)).toBeNull();
});

describe('a program without a graph', () => {
  it.each([
    ['names the line that forgets requires_grad', [created(3), named], /line 3 creates w without requires_grad=True/],
    ['says that nothing was recorded', [created(2, true)], /Line 2 creates a tensor that requires grad/],
    [
      'does not ask for requires_grad under torch.func',
      [created(3), named, { kind: 'transform_entered', seq: 2, line: 5, transform: 'grad', depth: 1 }],
      /^Line 5 works with torch.func, whose gradients need no requires_grad/,
    ],
    [
      'says what a program without tensors ended in',
      [{ kind: 'error_raised', seq: 0, line: 1, type: 'NameError', stage: 'program' }],
      /made no tensors before its NameError/,
    ],
    ['says that there are no tensors', [{ kind: 'output_printed', seq: 0, line: 1 }], /makes no tensors/],
  ])('%s', (_, events, text) => {
    expect(missingGraph(of(events))).toMatch(text);
  });

  it('does not take an error for a missing requires_grad', () => {
    const failed = { kind: 'error_raised', seq: 2, line: 4, type: 'RuntimeError', stage: 'program' };
    expect(missingGraph(of([created(3), named, failed]))).toBeNull();
    expect(missingGraph(of([created(3, true), failed]))).toBeNull();
  });

  it('is silent where tangents travel', () => {
    expect(missingGraph(of([created(1), { kind: 'tangent_computed', seq: 1 }]))).toBeNull();
  });

  it('is silent where there is a graph', () => {
    expect(missingGraph(of([created(1), { kind: 'op_applied', node: { node: 1 } }]))).toBeNull();
  });
});

it('says that a run was stopped, and leads to its end', async () => {
  const node = { kind: 'node_created', seq: 0, line: 1 };
  const run = {
    ...{ status: 'stopped', finished: true, length: 1200, atEnd: false, seq: 0, notices: [] },
    log: logged([node as never]),
    timeline: { history: { outcomes: { ended: null } } },
  };
  const bench = {
    ...{ run, pending: null, running: false, stale: false, lesson: null, noticing: null, served: true },
    asking: { part: null },
    debugger: { shownStop: null },
    compare: { baseline: null, previous: null, tooLarge: null },
    moveTo: vi.fn(),
  };
  const shown = (on: object) => ({ bench: on as never, drawn: true });
  const { rerender } = render(Situation, shown(bench));
  expect(screen.getByText(/^Stopped after 1,200 steps/)).toBeDefined();
  await userEvent.setup().click(screen.getByRole('button', { name: 'Go to where it stopped' }));
  expect(bench.moveTo).toHaveBeenCalledExactlyOnceWith(1199);
  await rerender(shown({ ...bench, run: { ...run, atEnd: true } }));
  expect(screen.getByText(/^Stopped after 1,200 steps/)).toBeDefined();
  expect(screen.queryByRole('button')).toBeNull();
});
