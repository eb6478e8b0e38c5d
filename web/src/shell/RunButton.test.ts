// Protects: a run that was stopped says so until its end is there, and is not stopped twice.

import { render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import RunButton from './RunButton.svelte';

it('runs, stops, and says that it is stopping', async () => {
  const bench = {
    running: false,
    stopping: false,
    stale: false,
    locked: false,
    opening: { busy: false },
    run: null,
    begin: vi.fn(),
    stop: vi.fn(),
  };
  const user = userEvent.setup();
  const { rerender } = render(RunButton, { bench });
  await user.click(screen.getByRole('button', { name: 'Run' }));
  expect(bench.begin).toHaveBeenCalledOnce();
  await rerender({ bench: { ...bench, running: true } });
  await user.click(screen.getByRole('button', { name: 'Stop' }));
  expect(bench.stop).toHaveBeenCalledOnce();
  await rerender({ bench: { ...bench, running: true, stopping: true } });
  await user.click(screen.getByRole('button', { name: 'Stopping…' }));
  expect(bench.stop).toHaveBeenCalledOnce();
  await rerender({ bench: { ...bench, opening: { busy: true } } });
  expect(screen.getByRole('button', { name: 'Run' })).toHaveProperty('disabled', true);
  // The end came.
  await rerender({ bench: { ...bench, stopping: true } });
  expect(screen.getByRole('button', { name: 'Run' })).not.toHaveProperty('disabled', true);
});
