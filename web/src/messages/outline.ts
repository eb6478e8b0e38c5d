// Texts of the stage's outline for screen readers.

import type { Said } from './said';

export const gradNone = '.grad None';
export const requiresGrad = 'requires grad';
export const doesNotRequireGrad = 'does not require grad';
export const currentStep = 'current step';
export const theProgramIsPausedHere = 'the program is paused here';
export const hasABreakpoint = 'has a breakpoint';
export const inTheAnswer = 'in the answer';
export const hasRun = 'has run';
export const takenOff = 'taken off';
export const outsideTheGraph = 'outside the graph';
export const opOfBackward = 'op recorded by a backward pass';
export const notRecorded = (reason: Said) => `not recorded: ${reason}`;
export const inTheCheckpointOf = (value: Said) => `in the checkpoint of ${value}`;
export const computedAgain = 'computed again';
export const gradFnReplaced = (replaced: Said) => `no longer the grad_fn: ${replaced} is`;
export const waitsForItsTurn = 'waits for its turn';
export const runsBackward = 'runs backward';
export const hasRunBackward = 'has run backward';
export const checkpointRecomputes = 'not kept: checkpoint runs the function again for it';
export const packedByAHookInto = (packed: Said) => `packed by a hook into ${packed}`;
export const staleVersionSavedAtVersion = (now: Said, saved: Said) =>
  `stale: version ${now}, saved at version ${saved}`;
