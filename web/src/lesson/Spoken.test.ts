// Protects: a screen reader reads a verdict again where a second wrong answer gets the same words.

import { render } from '@testing-library/svelte';
import { expect, it, vi } from 'vitest';
import Spoken from './Spoken.svelte';

it('is filled after it is there, and emptied and filled again by another cause', async () => {
  const of = (cause: object, text = 'Not quite.') => ({ text, causes: [cause], testid: 'said' });
  const { getByTestId, rerender } = render(Spoken, of({}));
  const said = getByTestId('said');
  expect(said.textContent).toBe('');
  await vi.waitFor(() => expect(said.textContent).toBe('Not quite.'));
  await rerender(of({}));
  expect(said.textContent).toBe('');
  await vi.waitFor(() => expect(said.textContent).toBe('Not quite.'));
});
