// Texts of the player of lessons.

import type { Said } from '../said';

export const learn = 'Learn';
export const opening = 'Opening the lesson';
export const leave = 'Close the lesson';
export const tryAgain = 'Try again';
export const pageOf = (page: number, pages: number) => `Page ${page} of ${pages}`;
export const absent = (name: string) => `There is no lesson “${name.slice(0, 40)}” on this server.`;
export const chooseAnother = 'Choose one of these:';
export const minutes = (count: number) => `${count} min`;
export const goal = 'What you can do after it';
export const back = 'Back';
export const next = 'Next';
export const begin = 'Begin';
export const skip = 'Skip';
export const turnsHint = (key: Said) => `Also with ${key}`;
export const yourPrediction = 'Your prediction';
export const yourTurn = 'Your turn';
export const right = 'Right.';
export const notQuite = 'Not quite.';
export const theAnswer = 'The answer.';
export const notThisOne = 'That is another answer. Try once more, or watch what happens.';
export const watch = 'Watch what happens';
export const mayChange = {
  numbers: 'Change numbers only; all else stays as it is.',
  program: 'Change whatever you like.',
} as const;
export const mayChangeLine = (line: number) => `Change line ${line} only.`;
export const mayChangeLines = (first: number, last: number) => `Change lines ${first} to ${last} only.`;
export const mayChangeTwoLines = (first: number, last: number) => `Change lines ${first} and ${last} only.`;
export const startOver = 'Start over';
export const runIt = 'Run it';
export const openCode = 'Open the code';
export const goToCode = 'Go to the code';
export const showSolution = 'Show a solution';
export const judging = 'Checking your change';
export const reached = 'Reached.';
export const notYet = 'Not yet.';
export const notJudged = 'Not checked.';
export const notRun = 'The program of this page could not be run.';
export const runAgain = 'Run it again';
export const programIsEdited = 'You changed the program. The lesson goes on with its own.';
export const bringBack = 'Bring it back';
export const takeHome = 'What you take home';
export const solvedOf = (solved: number, all: number) => {
  if (solved < all) return `You solved ${solved} of ${all}.`;
  return all === 1 ? 'You solved the one task.' : `You solved all ${all}.`;
};
export const allTaken = (all: number) =>
  `You have taken all ${all} lessons. Write a program of your own, or open an example.`;

// Where lessons are offered.

export const done = 'done';
/** How many lessons the reader has finished. */
export const doneOf = (finished: number, all: number) =>
  finished === all ? `all ${all} done` : `${finished} of ${all} done`;
export const of = (page: number, pages: number) => `${page} of ${pages}`;
export const firstLesson = (minutes: Said) => `New to backward()? Take the first lesson, ${minutes}`;
export const firstOf = (title: Said) => `First lesson: ${title}`;
export const offered = (title: Said) => `Next lesson: ${title}`;
export const goOnWith = (title: Said) => `Go on with the lesson: ${title}`;
