// Texts of breakpoints, and of the debugger while its panel is not open.

import type { Said } from './said';

export const fromHitOn = (hits: Said) => `from hit ${hits} on`;
export const isCreated = 'is created';
export const isChangedInPlace = 'is changed in place';
export const getsItsGradient = 'gets its gradient';
export const hasItsGradUpdated = 'has its .grad updated';
export const isReleased = 'is released';
export const whereverItRuns = (name: Said) => `${name}, wherever it runs`;
export const theFirstNanOrInf = 'the first NaN or Inf';
export const gradientNorm = (filter: Said) => `gradient norm ${filter}`;
export const freesWhatItSaved = (name: Said) => `${name} frees what it saved`;
export const savedFreed = 'a node frees what it saved';
export const theHookRan = (name: Said) => `the hook ${name} ran`;
export const aHookRan = 'a hook ran';
export const isRaised = (type: Said) => `${type} is raised`;
export const anExceptionIsRaised = 'an exception is raised';
export const programSilent = 'The program did not answer the question.';
export const aBreakpointThatIsOff = 'A breakpoint that is off';
export const aBreakpointOfTheTerminal = 'Breakpoint of the terminal';
export const youInTheDebugger = 'you, in the debugger';
