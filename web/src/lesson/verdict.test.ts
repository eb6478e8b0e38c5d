// Protects: an answer gets the feedback that its lesson has for it.

import { expect, test } from 'vitest';
import * as say from '../messages/lesson/player';
import type { PredictBlock, Wrong } from '../protocol/lessons';
import { feedbackOf } from './outcome';
import { verdictOf } from './verdict';

const node = (id: number) => ({ node: id, name: 'MulBackward0', step: id });
const wrong = (text: string, rest: Partial<Wrong>): Wrong => ({
  line: 1,
  answer: '',
  confusion: null,
  text,
  index: null,
  value: null,
  nodes: null,
  ...rest,
});
const predict = (question: PredictBlock['question'], wrongs: Wrong[], otherwise: string | null): PredictBlock => ({
  kind: 'predict',
  line: 1,
  program: 'a',
  at: { text: 'the end', place: null },
  text: '',
  hide: [],
  question,
  wrong: wrongs,
  otherwise,
  right: 'So it is.',
});
const number = (value: number) => ({ kind: 'number', number: value }) as const;
const right = { right: true, text: 'So it is.' };

test('a value is right within its bound; a known wrong one has its sentence, any other the last one', () => {
  const block = predict(
    { form: 'value', ask: 'x.grad', within: 0.1, answer: number(7) },
    [wrong('One path only.', { value: number(4) })],
    'Look again.',
  );
  const answer = (value: number) => verdictOf(block, { form: 'value', value: number(value), typed: String(value) });
  expect(answer(7.05)).toEqual(right);
  expect(answer(4)).toEqual({ right: false, text: 'One path only.' });
  expect(answer(9)).toEqual({ right: false, text: 'Look again.' });
});

test('a choice, a node and an order are compared by index and by nodes', () => {
  const choice = predict({ form: 'choice', ask: 'x', options: [], answer: 2 }, [wrong('No.', { index: 0 })], null);
  expect(verdictOf(choice, { form: 'choice', index: 2 })).toEqual(right);
  expect(verdictOf(choice, { form: 'choice', index: 0 }).text).toBe('No.');
  expect(verdictOf(choice, { form: 'choice', index: 1 })).toEqual({ right: false, text: null });
  const pointed = predict(
    { form: 'node', ask: 'next node', answer: node(5) },
    [wrong('Later.', { nodes: [node(3)] })],
    null,
  );
  expect(verdictOf(pointed, { form: 'node', node: 5 })).toEqual(right);
  expect(verdictOf(pointed, { form: 'node', node: 3 }).text).toBe('Later.');
  const order = predict(
    { form: 'order', ask: [], answer: [node(1), node(2)] },
    [wrong('Reversed.', { nodes: [node(2), node(1)] })],
    'Else.',
  );
  expect(verdictOf(order, { form: 'order', nodes: [1, 2] })).toEqual(right);
  expect(verdictOf(order, { form: 'order', nodes: [2, 1] }).text).toBe('Reversed.');
  expect(verdictOf(order, { form: 'order', nodes: [1] }).text).toBe('Else.');
});

test('a question without a computed answer takes none', () => {
  const block = predict({ form: 'node', ask: 'leaf w', answer: null }, [], null);
  expect(verdictOf(block, { form: 'node', node: 1 }).right).toBe(false);
});

test('an answer that the lesson says nothing about, a skipped question and a right answer get their words', () => {
  const block = predict({ form: 'value', ask: 'x.grad', within: null, answer: number(7) }, [], null);
  const outcome = (value: number, revealed = false) => {
    const given = { form: 'value', value: number(value), typed: String(value) } as const;
    return { given, verdict: verdictOf(block, given), revealed };
  };
  expect(feedbackOf(block, outcome(4))).toEqual({ head: say.notQuite, text: say.notThisOne, isRight: false });
  expect(feedbackOf(block, outcome(4, true))).toEqual({ head: say.theAnswer, text: 'So it is.', isRight: true });
  expect(feedbackOf(block, outcome(7, true))).toEqual({ head: say.right, text: 'So it is.', isRight: true });
});
