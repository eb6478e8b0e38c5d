// Protects: the bar says what a run waits for while nothing of its program runs.

import { render, screen } from '@testing-library/svelte';
import { expect, it } from 'vitest';
import { Run } from '../run/run.svelte';
import { Debugger } from './debugger.svelte';
import StepBar from './StepBar.svelte';

const run = Run.of('');
const page = { run, live: true, patient: true, ask: () => Promise.reject(new Error('not asked')), begin: () => {} };
const bench = {
  ...page,
  debugger: new Debugger(page),
  stale: false,
  draft: '',
  selection: null,
  asked: null,
  notice: null,
  moveTo: () => {},
  select: () => {},
};

it('does not say that a program runs whose worker is lost, until another has it', async () => {
  render(StepBar, { bench });
  const said = screen.getByRole('status');
  expect(said.textContent?.trim()).toBe('Running');
  run.notices = [{ kind: 'no_worker', lost: true }];
  await expect.poll(() => said.textContent?.trim()).toBe('Waits for a worker');
  // Its worker has been stopped, and gave it back into the line.
  run.notices = [{ kind: 'waiting', place: 2, waiting: 3 }];
  await expect.poll(() => said.textContent?.trim()).toBe('Waits in line');
  run.notices = [];
  await expect.poll(() => said.textContent?.trim()).toBe('Running');
});
