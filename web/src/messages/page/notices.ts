// Texts of the server's notices about a run.

import type { Said } from '../said';

export const nextInLine = 'Your program is next in line.';
export const yourProgramIsInLine = (place: Said) => `Your program is ${place} in line.`;
export const startsByItself = 'It starts by itself as soon as a place is free.';
export const noWorker = 'No worker takes programs now.';
export const startsWithAWorker = 'It starts by itself when a worker comes.';
export const workerLost =
  'The worker that ran this program is lost. The program goes on by itself, from where it was, when another worker takes it over.';
export const leaveTheLine = 'Leave the line';
export const startingAgain =
  'The server is starting the process that runs programs once more. Your program begins by itself right after.';
export const triesAgainIn = 'This page tries again by itself in';
export const seconds = 's.';
export const doNotWait = 'Do not wait';
export const thisRunEndsIn = 'This run ends in';
export const timeLimit = (limit_seconds: Said) =>
  `s: the time limit of ${limit_seconds}. What ran until then stays here to step through.`;
export const thisRunEndsAfter = 'This run ends after';
export const computingLimit = (limit_seconds: Said) =>
  `s more of computing: the limit is ${limit_seconds}. What ran until then stays here to step through.`;
export const pausedLimit = (limit_seconds: Said) =>
  `s: with its pauses, a run may take ${limit_seconds} here, because others wait. What ran until then stays here to step through.`;
export const anotherProgramWaitsThis = 'Another program waits for a place: this paused run ends in';
export const unlessResumed = 's, unless it goes on. What ran until then stays here to step through.';
export const stillThereEndsIn = 'Still there? This run has been paused for a while and ends in';
export const keepIt = 'Keep it';
export const stillThereEndsSoon = 'Still there? This paused run ends soon.';
export const thisRunEndsSoon = 'This run ends soon.';
export const opening = (name: Said) => `Opening ${name}`;
export const runAgainToThere = 'Run again to there';
export const exportTheTrace = 'Export the trace';
