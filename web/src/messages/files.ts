// Texts of the files of a program.

export const files = 'Files of the program';
export const main = 'Program';
export const readOnly = 'Read only: the main file alone can be edited and run.';
export const leftOut = 'The source was left out of this recording.';
