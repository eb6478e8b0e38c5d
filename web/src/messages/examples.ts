// Texts of the choice of examples.

import type { Said } from './said';

export const filterExamples = 'Filter examples';
export const noExamples = 'The server sent no examples. Type a program and press Run.';
export const noMatch = (query: Said) =>
  `No example matches “${query}”. Try an op, such as “relu”, or a word, such as “accumulate”.`;
export const examples = 'Examples';
export const examplesOf = (title: Said) => `Examples: ${title}`;
export const examplesMissing = 'The examples could not be loaded. Open them again when the server is back.';
export const learn = 'Learn';
export const yourProgram = 'Your program';
export const found = 'Found';
export const more = 'More';
export const open = 'open';
