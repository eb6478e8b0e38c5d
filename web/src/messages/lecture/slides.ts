// Texts of a lesson that somebody collected, as slides.

import type { Said } from '../said';

export const opening = 'Opening the lesson';
export const isEmpty = 'There is no moment in this lesson. Add one to your lesson, or use the whole link.';
export const isDamaged = 'The lesson in this link is damaged. Copy the whole link, or have it sent again.';
export const leave = 'Close the lesson';
export const linked = 'A lesson from a link';
export const waits = (moments: number, programs: number) =>
  `${moments === 1 ? 'One moment' : `${moments} moments`} of ${programs === 1 ? 'a program' : `${programs} programs`} that somebody else wrote. Read ${programs === 1 ? 'it' : 'them'}; ${programs === 1 ? 'it runs' : 'they run'} once you begin.`;
export const theProgram = (number: number, all: number) => (all === 1 ? 'The program' : `Program ${number}`);
export const begin = 'Run and begin';
export const slides = 'Slides';
export const of = (slide: number, slides: number) => `${slide} of ${slides}`;
export const slideOf = (slide: number, slides: number) => `Slide ${slide} of ${slides}`;
export const question = 'Question';
export const previous = 'Previous slide';
export const next = 'Next slide';
export const showAnswer = 'Show the answer';
export const leaveSlides = 'Leave the slides';
export const end = 'The end';
export const isGone = (step: Said, steps: Said) =>
  `The program does not come to this moment: it is step ${step}, and the run has ${steps}. Add the moment again, or remove it.`;
