// Texts of the stage around the graph.

import { counted } from '../format/number';
import { lineText } from '../protocol/file-lines';
import type { Said } from './said';

export const within = 'in';
export const call = (times: Said) => `, call ${times}`;
export const playBackwardHint = 'Play the backward pass (B)';
export const playTheBackwardPass = 'Play the backward pass';
export const beforeTheFirstStep = 'Before the first step.';
export const readOn = 'Read on';
export const readLess = 'Less';
export const view = 'View';
export const words = { find: 'Find', steps: 'Steps', fit: 'Fit', step: 'Step' } as const;
export const findOnTheStage = 'Find on the stage';
export const zoomIn = 'Zoom in';
export const zoomOut = 'Zoom out';
export const fitTheGraph = 'Fit the graph';
export const backToTheStep = 'Back to this step';
export const mapLabel = 'Map of the graph: the arrow keys move the view';
export const andOthers = (name: Said, others: number) => `${name} +${others}`;
export const bringIntoView = (name: Said) => `Bring ${name} into view`;
export const outOfView = 'Out of view:';
export const layingOut = (nodes: number) => `Laying out ${counted(nodes, 'node')}`;
export const graph = 'Graph';
export const graphAppears = 'The graph appears here once the program runs.';
export const nothingToShowYet = 'Nothing to show yet.';
export const lessonFailures = {
  absent: 'This lesson is not on the server. Those that are there can be chosen below.',
  failed: 'The lesson could not be opened. What to do is said below.',
} as const;
export const nothingIsRecorded = 'No recording came with this program. Run live runs it and draws its graph here.';
export const emptyProgram = 'Write a program in the editor and press Run: its graph is drawn here.';
export const connectingToTheServer = 'Connecting to the server';
export const stopping = 'Stopping';
export const runningNoStepSoFar = 'Running, no step so far';
export const paused = 'Paused';
export const running = 'Running';
export const pausedSoFar = (line: Said, steps: number) =>
  `Paused at line ${lineText(line)}, ${counted(steps, 'step')} so far`;
/** The program may be at another line, which made no step yet. */
export const runningSoFar = (line: Said, steps: number) =>
  `Running, ${counted(steps, 'step')} so far, the last at line ${lineText(line)}`;
export const programNotStarted = 'The program did not start. It is safe in the editor.';
export const noServer = 'No server, no run. Your program is safe in the editor.';
export const thisProgramEndsIn = (failure: Said) => `This program ends in ${failure}.`;
export const goToTheError = 'Go to the error';
export const lastRun = 'This is the last run. The code has changed since.';
export const stoppedAfter = (steps: number) =>
  `Stopped after ${counted(steps, 'step')}. What ran until then can be stepped through.`;
export const goToTheStop = 'Go to where it stopped';
export const torchFuncWorks = 'torch.func works';
export const withTransforms = (where: Said) =>
  `${where} with torch.func, whose gradients need no requires_grad and leave no graph behind: its ops are shown as they ran.`;
export const noOpRecorded = (line: Said) =>
  `Line ${lineText(line)} creates a tensor that requires grad, but no op was recorded on it, so there is no graph.`;
export const nothingRan = 'Nothing ran, so there is nothing to draw.';
export const noTensorsBeforeError = (type: Said) =>
  `This program made no tensors before its ${type}, so there is nothing to draw.`;
export const noTensors = 'This program makes no tensors, so there is nothing to draw.';
export const nothingRequiresGrad = (line: Said, what: Said) =>
  `Nothing here requires grad, so there is no graph: line ${lineText(line)} creates ${what} without requires_grad=True.`;
export const atLine = (line: Said) => ` at line ${lineText(line)}`;
export const stepsAsATable = 'Steps as a table';
export const selected = 'Selected';
export const toWhatGoesIn = 'To what goes in';
export const toWhatTakesIt = 'To what takes it';
export const lookInside = 'Look inside';
export const clearTheSelection = 'Clear the selection';
export const nothingDrawnYet = 'Nothing is drawn yet: no op so far belongs to a graph.';
export const yourNote = 'Note: ';
export const editTheNote = 'Read, change or delete this note (W)';
export const readTheNote = 'Read this note';
