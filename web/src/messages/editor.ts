// Texts of the editor.

import type { Said } from './said';

export const program = 'Program';
export const editorLabel = 'Program. Escape leaves the editor.';
export const thisStep = 'This step';
export const madeWhatRuns = 'Made what runs backward in this step';
export const passUnderWay = 'The backward pass that is under way';
export const theError = 'The error';
export const whereTheErrorComesFrom = 'Where the error comes from';
export const inTheAnswer = 'In the answer';
export const lastRunStep = 'The step of the last run';
export const theProgramIsPausedHere = 'The program is paused here';
export const saved = (version: Said) => `saved v${version}`;
export const madeVersion = (version: Said) => `made v${version}`;
export const savedAndMade = (saved: Said, version: Said) => `saved v${saved}, made v${version}`;
