// Protects: a lesson becomes pages of one thing each, with the program that each is about.

import { expect, test } from 'vitest';
import type { Lesson, Place, PredictBlock, ProgramBlock } from '../protocol/lessons';
import { isAskedBefore, type PredictPage, pagesOf, placeOf, revealedAt } from './pages';

const program = (name: string): ProgramBlock => ({
  kind: 'program',
  line: 1,
  name,
  source: `${name} = 1`,
  source_line: 2,
  seed: 0,
  raises: null,
});
const at = (step: number) => ({ text: 'the start', place: { step, seq: step, read_seq: step } satisfies Place });
const predict = (question: PredictBlock['question']): PredictBlock => ({
  kind: 'predict',
  line: 9,
  program: 'a',
  at: at(4),
  text: 'What?',
  hide: [],
  question,
  wrong: [],
  otherwise: null,
  right: 'So it is.',
});

test('a text, a step, a question and the end are a page each; a program and an aside go with theirs', () => {
  const [a, b] = [program('a'), program('b')];
  const blocks: Lesson['blocks'] = [
    { kind: 'text', line: 1, text: 'It begins.' },
    a,
    { kind: 'step', line: 5, program: 'a', at: at(2), text: 'Look.', hide: [] },
    b,
    { kind: 'step', line: 6, program: 'b', at: at(1), text: 'Another.', hide: [] },
    predict({ form: 'value', ask: 'x.grad', within: null, answer: null }),
    { kind: 'aside', line: 12, title: 'More', text: 'Yes.' },
  ];
  const pages = pagesOf({ blocks });
  expect(pages.map(({ kind, program }) => [kind, program?.name])).toEqual([
    ['text', 'a'],
    ['step', 'a'],
    ['step', 'b'],
    ['predict', 'a'],
    ['end', 'a'],
  ]);
  expect(pages[3]!.asides.map(({ title }) => title)).toEqual(['More']);
  expect(pages.map((page) => placeOf(page)?.step ?? null)).toEqual([null, 2, 1, 4, null]);
});

test('a text without a program below it keeps the one above', () => {
  const pages = pagesOf({ blocks: [program('a'), { kind: 'text', line: 4, text: 'And so on.' }] });
  expect(pages.map(({ kind, program }) => [kind, program?.name])).toEqual([
    ['text', 'a'],
    ['end', 'a'],
  ]);
});

test('a value is asked for before its moment, a node at it; its answer is seen when the last node runs', () => {
  const page = (question: PredictBlock['question']) =>
    pagesOf({ blocks: [program('a'), predict(question)] })[0] as PredictPage;
  const node = (step: number) => ({ node: step, name: 'MulBackward0', step });
  const value = page({ form: 'value', ask: 'x.grad', within: null, answer: null });
  expect([isAskedBefore(value), revealedAt(value)]).toEqual([true, 4]);
  const pointed = page({ form: 'node', ask: 'next node', answer: node(5) });
  expect([isAskedBefore(pointed), revealedAt(pointed)]).toEqual([false, 5]);
  expect(revealedAt(page({ form: 'order', ask: ['a', 'b'], answer: [node(7), node(6)] }))).toBe(7);
  expect(revealedAt(page({ form: 'node', ask: 'leaf w', answer: null }))).toBe(4);
});
