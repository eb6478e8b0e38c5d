// Texts of the files of a program.

export const files = 'Files of the program';
export const main = 'Program';
export const readOnly = 'Read only: the main file alone can be edited and run.';
export const leftOut = 'The source was left out of this recording.';
export const importsOthers = (files: string, main: string) =>
  `This program imports ${files}, and Run runs one file alone. In its folder, “backscope debug --page ${main}” runs all of its files and shows them here; add --torch for PyTorch.`;
