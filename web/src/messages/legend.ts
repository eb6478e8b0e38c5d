// What the sheet of keys and signs says.

export const keys = 'Keys';
export const signs = 'Signs';
export const forwardASolidLineA = 'Forward: a solid line, a filled mark';
export const gradientTravelsBackAlongThe = 'Gradient: travels back along the same line';
export const norm = '‖x‖';
export const theLengthOfAGradient =
  'The size of a gradient with many elements, as one number: the root of the sum of their squares (its norm)';
export const savedTensorAChipHollow = 'Saved tensor: a chip; hollow once freed';
export const secondOrderADoubleLine = 'Second order: a double line';
export const errorNanStaleVersionHatched = 'Error, NaN, stale version: hatched, and the word';
export const fc1 = 'fc1';
export const aModuleTheGroundOf = 'A module: the ground of its ops, with its name; select it for its parameters';
export const anOptimizerSStepOn = "An optimizer's step, on the timeline; hairlines begin the rounds of the loop";
export const onTheTimelineNanOr =
  "On the timeline: NaN or infinity comes to be; a stop of the debugger, hollow where a breakpoint's line ran";
export const aParameterThatTheOptimizer =
  'A parameter that the optimizer moves in this step; Δ by a change of this norm';
export const v2 = 'v2';
export const changedInPlaceItsVersion = 'Changed in place: its version';
export const f = '↪ f';
export const aHookOnTheLine = 'A hook on the line of the value or the gradient that it sees';
export const savedByAHookIts = 'Saved by a hook: its wrapping holds what the hook keeps instead';
export const aCheckpointItsOpsKeep = 'A checkpoint: its ops keep nothing and run again';
export const tangentForwardModeBesideThe = 'Tangent: forward mode, beside the value, the same way';
export const x = '↑ x';
export const aTensorShownAgainNear = 'A tensor shown again near its user';
export const f322 = 'f32[2]';
export const aShapeAfterItsDtype = 'A shape, after its dtype; bare brackets hold values';
