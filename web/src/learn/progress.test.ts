// Protects: progress in lessons is kept within bounds, and rubbish in the browser's storage does no harm.

import { beforeEach, expect, test, vi } from 'vitest';
import type { LessonTitle } from '../protocol/lessons';
import { nextLesson, offerOf } from './next-lesson';
import { Progress } from './progress.svelte';

const KEY = 'backscope.lessons';

beforeEach(() => {
  localStorage.removeItem(KEY);
});

test('a page and a solved question are there again after a reload', () => {
  const before = new Progress();
  expect(before.isNew).toBe(true);
  before.reach('01_graph', 3, 8);
  before.solve('01_graph', 30);
  before.solve('01_graph', 30);
  const after = new Progress();
  expect(after.of('01_graph')).toEqual({ page: 3, pages: 8, finished: false, solved: [30] });
  after.reach('01_graph', 8, 8);
  after.reach('01_graph', 2, 8);
  expect(new Progress().of('01_graph')).toEqual({ page: 2, pages: 8, finished: true, solved: [30] });
});

test.each([
  'not json',
  'null',
  '[1, 2]',
  '{"01_graph": 3, "02": {"page": -1, "pages": 5}, "03": {"page": "x", "pages": 2}}',
  '{"../x": {"page": 1, "pages": 2}}',
  `{"04": {"page": 1, "pages": 2, "more": "${'x'.repeat(300_000)}"}}`,
])('rubbish is left out: %.40s', (text) => {
  localStorage.setItem(KEY, text);
  const progress = new Progress();
  expect(progress.isNew).toBe(true);
  progress.reach('01_graph', 1, 4);
  expect(new Progress().of('01_graph')?.pages).toBe(4);
});

test('what is good beside rubbish is kept, its lines without what are none', () => {
  localStorage.setItem(KEY, '{"01_graph": {"page": 2, "pages": 4, "solved": [1, "x", 1, -3]}, "02": []}');
  expect(new Progress().of('01_graph')).toEqual({ page: 2, pages: 4, finished: false, solved: [1] });
});

test('the oldest lessons make room for the newest', () => {
  const progress = new Progress();
  for (let at = 0; at < 230; at += 1) progress.reach(`lesson_${at}`, 1, 4);
  expect(progress.of('lesson_0')).toBeNull();
  expect(progress.of('lesson_229')).not.toBeNull();
  expect(Object.keys(JSON.parse(localStorage.getItem(KEY)!))).toHaveLength(200);
});

test('a storage that is full or denied leaves the progress in memory', () => {
  const progress = new Progress();
  const denied = vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
    throw new DOMException('full', 'QuotaExceededError');
  });
  progress.reach('01_graph', 2, 4);
  denied.mockRestore();
  expect(progress.of('01_graph')?.page).toBe(2);
});

const title = (name: string, ...needs: string[]): LessonTitle => ({
  name,
  title: name,
  goal: '',
  learned: '',
  minutes: 4,
  needs,
  predictions: 1,
  changes: 1,
});

test('the next lesson is the one that was left, else the first that is ready', () => {
  const titles = [title('a'), title('b', 'd'), title('c', 'a'), title('d')];
  const progress = new Progress();
  expect(nextLesson([], progress)).toBeNull();
  expect(nextLesson(titles, progress)).toEqual({ title: titles[0], page: 1, first: true });
  progress.reach('c', 3, 5);
  expect(nextLesson(titles, progress)).toEqual({ title: titles[2], page: 3, first: false });
  progress.reach('c', 5, 5);
  progress.reach('a', 5, 5);
  expect(nextLesson(titles, progress)?.title.name).toBe('d');
  for (const name of ['b', 'd']) progress.reach(name, 2, 2);
  expect(nextLesson(titles, progress)).toBeNull();
});

test('the first lesson is offered as the first one until a lesson is finished', () => {
  const titles = [title('a'), title('b')];
  const progress = new Progress();
  const offered = () => offerOf(nextLesson(titles, progress)!);
  expect(offered()).toBe('First lesson: a');
  progress.reach('a', 1, 4);
  expect(offered()).toBe('First lesson: a');
  progress.reach('a', 2, 4);
  expect(offered()).toBe('Go on with the lesson: a');
  progress.reach('a', 4, 4);
  expect(offered()).toBe('Next lesson: b');
});

test('the first lesson is the next one of a reader who has finished another', () => {
  const progress = new Progress();
  progress.reach('b', 4, 4);
  expect(offerOf(nextLesson([title('a'), title('b')], progress)!)).toBe('Next lesson: a');
});
