// Texts of the console.

import { counted } from '../format/number';
import { lineText } from '../protocol/file-lines';
import type { Said } from './said';

export const consoleOutput = 'Console output';
export const notShown = (prints: number) =>
  `${counted(prints, 'earlier print')} ${prints === 1 ? 'is' : 'are'} not shown.`;
export const emptyConsole = 'What the program prints appears here.';
export const nothingPrintedYet = 'Nothing printed up to this step.';
export const thisProgramHasPrintedNothing = 'This program has printed nothing.';
export const goToThisMoment = 'Go to this moment';
export const goThere = 'go';
export const line = (line: Said) => `line ${lineText(line)}`;
export const youSet = 'You set';
export const caughtByTheProgram = (heading: Said) => `${heading}, caught by the program`;
