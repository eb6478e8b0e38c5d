// What the editor says.

export const program = 'Program';
export const programEscapeThenTabLeaves = 'Program. Escape, then Tab, leaves the editor.';
export const thisStep = 'This step';
export const madeWhatRunsBackwardIn = 'Made what runs backward in this step';
export const theBackwardPassThatIs = 'The backward pass that is under way';
export const theError = 'The error';
export const whereTheErrorComesFrom = 'Where the error comes from';
export const inTheAnswer = 'In the answer';
export const theStepOfTheLast = 'The step of the last run';
export const theProgramIsPausedHere = 'The program is paused here';
