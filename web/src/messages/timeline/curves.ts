// Texts of the curves of watched expressions.

import type { Said } from '../said';

export const stopWatching = (expression: Said) => `Stop watching ${expression}`;
export const tryAgain = 'Try again';
export const cancel = 'Cancel';
export const cancelled = 'Cancelled.';
export const drawnAtEnd = 'Drawn when the program has ended.';
export const runningTheProgramAgain = 'Running the program again…';
export const notANumber = 'It is no number: its text at this step is on the left.';
export const itNeverWasANumber = 'It never was a number.';
export const overTheRun = (range: Said) => `; over the run ${range}`;
export const curvesOfWatchedExpressions = 'Curves of watched expressions';
export const watchedExpression = 'Expression to watch over the whole run';
export const expressionExample = 'w.grad.norm()';
export const watch = 'Watch';
export const close = 'Close';
export const notDefinedHere = 'not defined here';
export const runNotAtServer = 'The server does not have this run, so its program cannot be run again.';
export const openTraceAtServer = (reason: Said) => `${reason} Open the trace with backscope open.`;
