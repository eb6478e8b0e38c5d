// What a reader answered on a page, and what came of it.

import * as say from '../messages/lesson/player';
import type {
  BoolValue,
  NoneValue,
  NumbersValue,
  NumberValue,
  PredictBlock,
  TensorValue,
  TextValue,
} from '../protocol/lessons';

/** An answer, by the form of its question: a value, the index of an option, the number of a node, nodes in an order. */
export type Given =
  | {
      form: 'value';
      value: NumberValue | TensorValue | NumbersValue | NoneValue | BoolValue | TextValue;
      typed: string;
    }
  | { form: 'choice'; index: number }
  | { form: 'node'; node: number }
  | { form: 'order'; nodes: number[] };

/** Whether an answer is right, and the text that the reader gets for it; null for a wrong one that the lesson says nothing about. */
export type Verdict = { right: boolean; text: string | null };

/** `given` is null for a question that was skipped; `revealed`: the reader has seen the answer, or why it is right. */
export type Outcome = { given: Given | null; verdict: Verdict | null; revealed: boolean };

/** A change that was tried: whether a verdict is on its way, the last verdict, and the text of the program then. */
export type Attempt = {
  source: string;
  judging: boolean;
  reached: boolean;
  text: string | null;
  problem: string | null;
};

/** What the reader gets for an answer or a change: its verdict in a word, and why. */
export type Feedback = { head: string; text: string | null; isRight: boolean };

/** Returns the feedback to what came of a question. */
export function feedbackOf({ right }: PredictBlock, { verdict, revealed }: Outcome): Feedback {
  if (verdict?.right) return { head: say.right, text: verdict.text, isRight: true };
  if (revealed) return { head: say.theAnswer, text: right, isRight: true };
  return { head: say.notQuite, text: verdict?.text ?? say.notThisOne, isRight: false };
}
