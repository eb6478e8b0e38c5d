// Texts of questions about time: going back to what happened, and prints that are added to a run that is over.

import type { Said } from './said';

export const backTo = 'Back to';
export const theLastBreakpoint = 'Last breakpoint';
export const theFirstNan = 'First NaN';
export const theLastWrite = 'Last write';
export const whatWasWritten = 'What was written';
export const writtenExample = 'w, w.grad or w[0, 1]';
export const it = 'It';
export const noBreakpoint = 'No breakpoint is set. Click a line number in the code for one.';
export const atTheFirstBreakpoint = 'This step is at a breakpoint, and before it the program was at none.';
export const atNoBreakpoint = 'Before this step the program was at no breakpoint.';
export const noNanBefore = 'No NaN and no infinity came before this step.';
export const selectATensor =
  'Select a tensor on the stage, or type one in the debugger, under “Back to”: the step that last wrote it is shown.';
export const noTensorOfThatName = (typed: Said) =>
  `No variable ${typed} holds a tensor at this step. For instance: w, w.grad or w[0, 1].`;
export const notWrittenBefore = (name: Said) => `${name} was not written before this step.`;
export const noSuchElement = (name: Said) => `${name} has no such element.`;
export const elementNotRecorded = (name: Said) =>
  `The recording does not have every element of ${name}, and its program cannot be run again here.`;
export const conditionsNeedTheProgram =
  'Conditions and numbers of hits need the program, which cannot be run again here: this is a recording.';
export const conditionsLeftOut = 'Breakpoints without a condition alone were looked for. ';
export const stopsTooOften =
  'Breakpoints with a condition stop too often in this run for all of their stops to be looked at.';
export const addedPrints = 'Prints added afterwards';
export const addedPrintsHint =
  'A line and an expression: its value each time that the program came to the line, before the line ran. The run itself stays as it is.';
export const lineOfThePrint = 'Line of the print';
export const lineExample = 'line';
export const whatToPrint = 'What to print';
export const printExample = 'loss.item()';
export const print = 'Print';
export const atLine = (line: Said) => `line ${line}`;
export const takeThePrintAway = (expression: Said, line: Said) =>
  `Take the print of ${expression} at line ${line} away`;
export const goToStep = (step: Said) => `Go to step ${step}`;
export const runsAgain = 'The program runs again for this, unseen.';
export const stopLooking = 'Stop';
export const looksAgain = 'Again';
export const notAtTheLine = 'The program was not at this line.';
export const laterOnesLeftOut = (count: Said) => `Only the first ${count} are shown.`;
export const fromTheRecording =
  'From the recording: it has values of tensors, at lines that made a step. Other expressions need the program, which cannot be run again here.';
export const notInTheRecording = 'not recorded';
