// Protects: the list of examples works by keyboard, and says what to do when nothing matches.

import { render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import ExampleList from './ExampleList.svelte';

const examples = ['Chain rule', 'Fan-in', 'Broadcast'].map((title) => ({
  name: title.toLowerCase(),
  title,
  summary: `About ${title}`,
  source: 'x = 1',
}));

it('opens what the keyboard points at', async () => {
  const onopen = vi.fn();
  render(ExampleList, { examples, current: 'chain rule', onopen });
  const user = userEvent.setup();
  expect(document.activeElement).toBe(screen.getByRole('combobox'));
  await user.keyboard('{ArrowDown}{Enter}');
  expect(onopen).toHaveBeenLastCalledWith(examples[1], null);
  await user.keyboard('broad{Enter}');
  expect(onopen).toHaveBeenLastCalledWith(examples[2], null);
});

it('says what to do when nothing matches', async () => {
  render(ExampleList, { examples, current: null, onopen: vi.fn() });
  await userEvent.setup().type(screen.getByRole('combobox'), 'zzz');
  expect(screen.getByRole('status').textContent).toContain('No example matches “zzz”');
  expect(screen.queryAllByRole('option')).toHaveLength(0);
});

it('groups what it knows by topic, with pictures, and opens it at the step that teaches', async () => {
  const onopen = vi.fn();
  const known = { name: '40_fan_in', title: 'Two paths', summary: 'They add up.', source: 'x' };
  render(ExampleList, { examples: [...examples, known], current: null, onopen });
  const group = screen.getByRole('group', { name: 'Adding up' });
  expect(group.querySelector('img')?.getAttribute('src')).toContain('40_fan_in.light');
  expect(screen.getByRole('group', { name: 'More' }).querySelectorAll('[role=option]')).toHaveLength(3);
  await userEvent.setup().click(screen.getByRole('option', { name: /Two paths/ }));
  expect(onopen).toHaveBeenCalledWith(known, expect.any(Number));
});
