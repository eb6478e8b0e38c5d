// Texts about answers that cannot be read.

import type { Said } from '../said';

export const empty = 'Type an answer, or skip the question.';
export const tooLong = (chars: number) => `This is longer than an answer can be: ${chars} characters are the most.`;
export const tooMany = (most: number) => `These are more than ${most} numbers, which no answer has.`;
export const tooDeep = 'The brackets are nested too deep.';
export const unfinished = 'Something is missing at the end.';
export const notClosed = (bracket: Said) => `A ${bracket} or a comma is missing.`;
export const unexpected = (text: Said) =>
  `${text} cannot be read here. Write a value as Python does: 7, [1, 2], None or True.`;
export const aName = (name: Said) => `${name} is a name: write its value, as 7, [1, 2], None or True.`;
export const aCall = (name: Said) => `${name}() is not computed here: write its value, as 7, [1, 2], None or True.`;
export const notANumber = 'A number is missing beside a sign.';
export const notFinite = 'This is too large for a number.';
export const dividedByZero = 'A number cannot be divided by 0: write inf or nan where that is the answer.';
export const notAShape = 'Write a shape as [2, 3].';
export const ragged = 'The rows have different lengths: write a tensor as [[1, 2], [3, 4]].';
