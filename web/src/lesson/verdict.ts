// The verdict on an answer: right, or the feedback that the lesson has for it.

import type { PredictBlock, Wrong } from '../protocol/lessons';
import type { Given, Verdict } from './outcome';
import { same } from './same';

/** Judges an answer to a prediction; an answer of another form than the question's is wrong. */
export function verdictOf({ question, wrong, otherwise, right }: PredictBlock, given: Given): Verdict {
  if (isRight(question, given)) return { right: true, text: right };
  const within = question.form === 'value' ? question.within : null;
  const found = wrong.find((one) => isSame(one, given, within));
  return { right: false, text: found?.text ?? otherwise };
}

function isRight(question: PredictBlock['question'], given: Given): boolean {
  if (given.form === 'value' && question.form === 'value')
    return question.answer !== null && same(question.answer, given.value, question.within);
  if (given.form === 'choice' && question.form === 'choice') return given.index === question.answer;
  if (given.form === 'node' && question.form === 'node') return given.node === question.answer?.node;
  if (given.form !== 'order' || question.form !== 'order' || question.answer === null) return false;
  return isRow(
    question.answer.map(({ node }) => node),
    given.nodes,
  );
}

/** Whether an answer is the one that a feedback is for. */
function isSame({ value, index, nodes }: Wrong, given: Given, within: number | null): boolean {
  if (given.form === 'value') return value !== null && same(value, given.value, within);
  if (given.form === 'choice') return index === given.index;
  const row = given.form === 'node' ? [given.node] : given.nodes;
  return (
    nodes !== null &&
    isRow(
      nodes.map(({ node }) => node),
      row,
    )
  );
}

function isRow(ones: readonly number[], others: readonly number[]): boolean {
  return ones.length === others.length && ones.every((one, at) => one === others[at]);
}
