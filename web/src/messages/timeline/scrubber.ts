// Texts of the timeline and its buttons.

import { counted } from '../../format/number';
import type { Said } from '../said';

export const showTheWholeRun = (words: Said) => `${words}. Show the whole run`;
export const showWholeRun = 'Show the whole run (0)';
export const watchOverRun = 'Watch an expression over the whole run';
export const timeline = 'Timeline';
export const steps = 'Steps';
export const underTheTimeline = 'Under the timeline';
export const trainingRows = 'Loss and gradient norms over the run';
export const livesOfSavedTensors = 'Lives of saved tensors';
export const compareWithAnotherRun = 'Compare with another run';
/** Each is a word of the name of its button. */
export const words = { watch: 'Watch', training: 'Loss', buffers: 'Saved', differences: 'Compare' } as const;
export const note = 'Note';
export const noteOnThisStep = 'Write a note on this step, for the link (W)';
export const backwardPasses = 'Backward passes';
export const previousBackwardPass = 'Previous backward pass';
export const backward = 'backward';
export const nextBackwardPass = 'Next backward pass';
export const step = 'Step';
export const memoryAtThisStep = 'Memory at this step';
export const values = 'values';
export const saved = 'saved';
export const gradients = 'gradients';
export const whoHoldsIt = 'Who holds it?';
export const rowsMissing = 'The rows could not be loaded. Close and open them again when the server is back.';
export const curvesMissing = 'The curves could not be loaded. Close and open them again when the server is back.';
export const beforeTheFirstOf = (steps: number) => `Before the first of ${counted(steps, 'step')}`;
export const goToTheStart = 'Go to the start';
export const stepBack = 'Step back';
export const pause = 'Pause';
export const play = 'Play';
export const stepForward = 'Step forward';
export const goToTheEnd = 'Go to the end';
export const speed = 'Speed';
export const speeds = { reading: 'Reading', normal: '1×', fast: 'Fast' } as const;
export const speedMeans = {
  reading: 'Speed: each step stays until its sentence can be read',
  normal: 'Speed: each step stays for its motion',
  fast: 'Speed: eight times as fast, without motion',
} as const;
export const unit = 'Step by';
export const unitKey = 'Step by (U)';
export const units = { node: 'by node', module: 'by module', round: 'by round' } as const;
