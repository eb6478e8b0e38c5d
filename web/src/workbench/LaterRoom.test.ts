// Protects: an error in one room is shown there, and goes away once the room can be shown again.

import { render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import LaterRoom from './LaterRoom.svelte';

afterEach(() => vi.unstubAllGlobals());

it('says that a room failed, reports why, and tries again', async () => {
  const reported = vi.fn();
  vi.stubGlobal('reportError', reported);
  let broken = true;
  const room = () => {
    if (broken) throw new Error('twice the same key');
  };
  render(LaterRoom, { bench: {} as never, name: 'inspector', room: async () => ({ default: room as never }) });
  expect((await screen.findByRole('alert')).textContent).toContain('The inspector could not show this step.');
  expect(reported).toHaveBeenCalledOnce();
  broken = false;
  await userEvent.setup().click(screen.getByRole('button', { name: 'Try again' }));
  expect(screen.queryByRole('alert')).toBeNull();
});
