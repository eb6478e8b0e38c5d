// Texts of a lesson that somebody collected, as slides.

export const opening = 'Opening the lesson';
export const isEmpty = 'There is no moment in this lesson. Add one to your lesson, or use the whole link.';
export const isDamaged = 'The lesson in this link is damaged. Copy the whole link, or have it sent again.';
export const leave = 'Close the lesson';
export const linked = 'A lesson from a link';
export const waits = (moments: number, programs: number) =>
  `${moments === 1 ? 'One moment' : `${moments} moments`} of ${programs === 1 ? 'a program' : `${programs} programs`} that somebody else wrote. Read ${programs === 1 ? 'it' : 'them'}; ${programs === 1 ? 'it runs' : 'they run'} once you begin.`;
export const theProgram = (number: number, all: number) => (all === 1 ? 'The program' : `Program ${number}`);
export const begin = 'Run and begin';
