// Protects: what was answered is there again after a reload, for the same version of the same lesson, whatever a browser kept.

import { beforeEach, expect, test } from 'vitest';
import { Answers } from './answers';

const lesson = (name: string, text = 'It begins.') => ({ name, blocks: [{ kind: 'text' as const, line: 1, text }] });
const given = { form: 'choice', index: 1 };

beforeEach(() => localStorage.clear());

test('answers are kept for their lesson, and not for another version of it', () => {
  new Answers(lesson('a')).keep(3, given, false);
  new Answers(lesson('a')).keep(5, null, true);
  new Answers(lesson('b')).keep(3, null, true);
  const all = { 3: { given, revealed: false }, 5: { given: null, revealed: true } };
  expect(new Answers(lesson('a')).read()).toEqual(all);
  expect(new Answers(lesson('a', 'It began.')).read()).toEqual({});
  new Answers(lesson('b')).forget();
  expect(new Answers(lesson('b')).read()).toEqual({});
  expect(new Answers(lesson('a')).read()).toEqual(all);
  new Answers(lesson('a', 'It began.')).keep(3, given, true);
  expect(new Answers(lesson('a')).read()).toEqual({});
});

test('they are no more than a browser should keep, the oldest go first', () => {
  for (let number = 0; number < 60; number += 1) new Answers(lesson(`l${number}`)).keep(1, given, true);
  expect(new Answers(lesson('l9')).read()).toEqual({});
  expect(new Answers(lesson('l10')).read()).not.toEqual({});
  new Answers(lesson('long')).keep(1, 'x'.repeat(299_900), true);
  expect(new Answers(lesson('l59')).read()).toEqual({});
  expect(localStorage.getItem('backscope.answers')!.length).toBeLessThan(300_001);
  // The name of a collected lesson is all of it.
  new Answers(lesson(`-1${'x'.repeat(9000)}`)).keep(1, given, true);
  expect(new Answers(lesson(`-1${'x'.repeat(9000)}`)).read()).toEqual({ 1: { given, revealed: true } });
});

test.each(['{', '7', '[]', '{"a":7}', '{"a":{"version":1}}', '{"a":{"version":"x","answered":null}}'])(
  'damaged storage holds no answers: %s',
  (text) => {
    localStorage.setItem('backscope.answers', text);
    const answers = new Answers(lesson('a'));
    expect(answers.read()).toEqual({});
    answers.keep(1, given, true);
    expect(answers.read()).toEqual({ 1: { given, revealed: true } });
  },
);
