// Texts of the notes that a reader writes on moments.

import type { Said } from './said';

export const noteOnStep = (step: Said) => `Note on step ${step}`;
export const whatToSay = 'What is to be seen at this step';
export const goesWithTheLink = (left: number) =>
  left > 60 ? 'Goes with the link to this run.' : `Goes with the link to this run. ${left} characters left.`;
export const deleteNote = 'Delete';
export const cancel = 'Cancel';
export const save = 'Save';
export const close = 'Close';
export const noMoreNotes = (count: Said) => `A run has ${count} notes at most: delete one to write another.`;
