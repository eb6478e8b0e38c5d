// Texts of the lesson that a reader collects out of moments.

import type { Said } from '../said';

export const yourLesson = 'Your lesson';
export const close = 'Close your lesson';
export const title = 'Title';
export const titleExample = 'Why gradients add up';
export const untitled = 'Untitled lesson';
export const learned = 'To take home';
export const learnedExample = 'backward() adds to .grad, it does not replace it.';
export const goalOf = (moments: number) =>
  moments === 1 ? 'Look at one moment of a program' : `Follow ${moments} moments of a program`;
export const whatIs = (expression: Said) => `What will \`${expression}\` be?`;
export const empty =
  'Step to a moment that you want to show, and add it. Each moment becomes a slide with your sentence.';
export const moments = 'Moments';
export const panelNames = {
  code: 'Code',
  console: 'Console',
  inspector: 'Inspector',
  debugger: 'Debugger',
  timeline: 'Timeline',
} as const;
export const panelsOf = (number: number) => `Panels beside the graph at moment ${number}`;
export const choosePanels = 'Choose the panels beside the graph';
export const shownBeside = (panels: readonly Said[]) =>
  panels.length === 0 ? 'The graph alone' : `With ${panels.join(', ').toLowerCase()}`;
export const addMoment = 'Add this moment';
export const adding = 'Adding the moment';
export const noMoment = 'Run a program and step to a moment first.';
export const isRunning = 'The program is still running. Add the moment when it has finished, or stop it first.';
export const hasNoProgram = 'This recording does not have its program. Run the program here, then add the moment.';
export const serverSilent =
  'The server does not answer. Nothing of your lesson is lost: once the server is back, go on where you are.';
export const isFull = (most: number) => `A lesson has ${most} moments at most. Remove one before you add another.`;
export const isTooLong = 'This program is too long for a lesson.';
export const goTo = (at: Said) => `Go to ${at}`;
export const sentence = (number: number) => `Sentence of moment ${number}`;
export const move = (number: number) =>
  `Move moment ${number}: drag it, or press the up or down arrow key, Home or End`;
export const up = (number: number) => `Move moment ${number} up`;
export const down = (number: number) => `Move moment ${number} down`;
export const remove = (number: number) => `Remove moment ${number}`;
export const added = (at: Said, number: number) => `Added ${at} as moment ${number}.`;
export const moved = (at: Said, number: number, all: number) => `${at} is moment ${number} of ${all} now.`;
export const removed = (at: Said) => `Removed ${at}.`;
export const undo = 'Undo';
export const play = 'Play slides';
export const playHint = 'One moment after the other, with the arrow keys';
export const fullStorage = 'This browser cannot keep your lesson: share it as a file before you close the page.';
export const askFirst = 'Ask for a value first';
export const askLabel = 'An expression that readers predict';
export const askExample = 'w.grad';
export const ask = 'Ask';
export const isAsked = (expression: Said) => `Readers predict ${expression} before they see this moment.`;
export const doNotAsk = (number: number) => `Do not ask at moment ${number}`;
export const runFirst = 'The program of this moment has to be run first: it runs now. Ask again when it has finished.';
