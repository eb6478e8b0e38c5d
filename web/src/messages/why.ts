// Texts around the engine's questions and answers.

import { lineText } from '../protocol/file-lines';
import type { Said } from './said';

export const whatShowsIt = 'What shows it';
export const line = (line: Said) => `line ${lineText(line)}`;
export const linesInvolved = 'Lines involved';
export const showLineInTheCode = (line: Said) => `Show line ${lineText(line)} in the code`;
export const lineWord = 'line';
export const involved = 'Involved:';
export const andMore = (count: Said) => `and ${count} more`;
export const whatToDo = 'What to do';
export const oftenAdvisedAndWrongHere = 'Often advised, and wrong here';
export const why = 'Why?';
export const whyDidThisFail = 'Why did this fail?';
export const putTheAnswerAway = 'Put the answer away';
export const askedAt = 'Asked at';
export const step = (value: Said) => `step ${value}`;
export const questions = 'Questions';
export const askAtServer = 'Ask why: open this trace at the server';
export const serverSilent = 'The answers are computed by the server, which does not answer. Start it, then ask again.';
