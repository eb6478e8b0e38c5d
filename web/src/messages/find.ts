// Texts of the search and its filters.

import type { Said } from './said';

export const filters = 'Filters';
export const backwardPass = 'Backward pass';
export const anyPass = 'any pass';
export const module = 'Module';
export const anyModule = 'any module';
export const takeTheFilterAway = (words: Said) => `Take the filter ${words} away`;
export const nanOrInf = 'NaN or Inf';
export const noGradient = 'no gradient';
export const nanHint = 'A value or gradient that holds NaN or infinity at this step';
export const heldHint = 'Ops whose saved tensors are still held at this step';
export const freedHint = 'Ops whose saved tensors are freed by this step';
export const unreachedHint = 'Leaves that require grad and that no backward pass of this run reached';
export const passNotRun = 'a pass that has not run';
export const stage = 'Stage';
export const findOnTheStage = 'Find on the stage';
export const queryExamples = 'op, name, module, line, [64, 128], #node';
export const previousHit = 'Previous hit';
export const nextHit = 'Next hit';
export const closeTheSearch = 'Close the search';
export const nothingFound = 'Nothing found';
export const hitOf = (at: Said, count: Said) => `${at} of ${count}`;
export const hits = 'Hits';
export const comesLater = 'Comes at a later step; going there moves the timeline.';
