// A question whose answer is True or False: the reader chooses one of the two in place of typing it.

import type { BoolValue, PredictBlock, ValueQuestion } from '../../protocol/lessons';
import type { Given } from '../outcome';

type Question = PredictBlock['question'];
/** A question for a value that is True or False. */
type TruthQuestion = ValueQuestion & { answer: BoolValue };

/** The two options, as Python writes them. */
export const TRUTHS = ['True', 'False'].map((word) => ({ expression: word, label: word }));

/** Returns whether the answer to a question is True or False. */
export function isTruth(question: Question): question is TruthQuestion {
  return question.form === 'value' && question.answer?.kind === 'bool';
}

/** The index of a value among TRUTHS; null for a value that is neither. */
export function indexOf(value: { kind: string; bool?: boolean }): number | null {
  return value.kind === 'bool' ? Number(!value.bool) : null;
}

/** The answer that an option of TRUTHS stands for. */
export function givenOf(index: number): Given {
  return { form: 'value', value: { kind: 'bool', bool: index === 0 }, typed: TRUTHS[index]!.label };
}
