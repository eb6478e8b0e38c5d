// Protects: the list of lessons and examples works by keyboard, and says what to do when nothing matches.

import { render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { progress } from '../learn/progress.svelte';
import type { LessonTitle } from '../protocol/lessons';
import ExampleList from './ExampleList.svelte';

const examples = ['Chain rule', 'Fan-in', 'Broadcast'].map((title) => ({
  name: title.toLowerCase(),
  title,
  summary: `About ${title}`,
  source: 'x = 1',
}));

const titles: LessonTitle[] = ['01_graph', '02_chain_rule'].map((name, at) => ({
  name,
  title: ['What is left behind', 'Two ways'][at]!,
  goal: 'Say why',
  learned: 'They are added.',
  minutes: 4,
  needs: [],
  predictions: 2,
  changes: 1,
}));
const rest = { learning: null, onlesson: vi.fn() };
let answered: LessonTitle[] | null = null;

beforeEach(() => {
  answered = null;
  vi.stubGlobal('fetch', async () => {
    if (!answered) throw new TypeError('no server');
    return new Response(JSON.stringify(answered));
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
});

it('opens what the keyboard points at', async () => {
  const onopen = vi.fn();
  render(ExampleList, { examples, current: 'chain rule', onopen, ...rest });
  const user = userEvent.setup();
  expect(document.activeElement).toBe(screen.getByRole('combobox'));
  await user.keyboard('{ArrowDown}{Enter}');
  expect(onopen).toHaveBeenLastCalledWith(examples[1], null);
  await user.keyboard('broad{Enter}');
  expect(onopen).toHaveBeenLastCalledWith(examples[2], null);
});

it('says what to do when nothing matches', async () => {
  render(ExampleList, { examples, current: null, onopen: vi.fn(), ...rest });
  await userEvent.setup().type(screen.getByRole('combobox'), 'zzz');
  expect(screen.getByRole('status').textContent).toContain('No example matches “zzz”');
  expect(screen.queryAllByRole('option')).toHaveLength(0);
});

it('groups what it knows by topic, with pictures, and opens it at the step that teaches', async () => {
  const onopen = vi.fn();
  const known = { name: '40_fan_in', title: 'Two paths', summary: 'They add up.', source: 'x' };
  render(ExampleList, { examples: [...examples, known], current: null, onopen, ...rest });
  const group = screen.getByRole('group', { name: 'Adding up' });
  expect(group.querySelector('img')?.getAttribute('src')).toContain('40_fan_in.light');
  expect(screen.getByRole('group', { name: 'More' }).querySelectorAll('[role=option]')).toHaveLength(3);
  await userEvent.setup().click(screen.getByRole('option', { name: /Two paths/ }));
  expect(onopen).toHaveBeenCalledWith(known, expect.any(Number));
});

it('has the lessons on top, with how far the reader is, and opens one where it was left', async () => {
  answered = titles;
  progress.reach('02_chain_rule', 3, 8);
  const onlesson = vi.fn();
  render(ExampleList, { examples, current: null, learning: null, onopen: vi.fn(), onlesson });
  const group = await screen.findByRole('group', { name: 'Learn' });
  const options = [...group.querySelectorAll('[role=option]')].map((one) =>
    one.textContent?.replace(/\s+/g, ' ').trim(),
  );
  expect(options).toEqual(['1 What is left behind 4 min', '2 Two ways 3 of 8']);
  expect(screen.getAllByRole('option')[0]).toBe(group.querySelector('[role=option]'));
  const user = userEvent.setup();
  await user.click(screen.getByRole('option', { name: /Two ways/ }));
  expect(onlesson).toHaveBeenLastCalledWith('02_chain_rule', 3);
  await user.type(screen.getByRole('combobox'), 'left behind{Enter}');
  expect(onlesson).toHaveBeenLastCalledWith('01_graph', 1);
});
