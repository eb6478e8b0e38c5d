// What the sheet of keys and signs says.

export const keys = 'Keys';
export const signs = 'Signs';
export const forwardSign = 'Forward: a solid line, a filled mark';
export const gradientSign = 'Gradient: travels back along the same line';
export const normExample = '‖x‖';
export const theLengthOfAGradient =
  'The size of a gradient with many elements, as one number: the root of the sum of their squares (its norm)';
export const savedSign = 'Saved tensor: a chip; hollow once freed';
export const secondOrderADoubleLine = 'Second order: a double line';
export const errorSign = 'Error, NaN, stale version: hatched, and the word';
export const moduleExample = 'fc1';
export const moduleSign = 'A module: the ground of its ops, with its name; select it for its parameters';
export const optimizerSign = "An optimizer's step, on the timeline; hairlines begin the rounds of the loop";
export const marksSign =
  "On the timeline: NaN or infinity comes to be; a stop of the debugger, hollow where a breakpoint's line ran";
export const noteSign =
  'On the timeline: a step that was noticed once the run was over; its note is at the end of the run';
export const writtenSign = 'On the timeline: a step that a note was written on';
export const updateSign = 'A parameter that the optimizer moves in this step; Δ by a change of this norm';
export const versionExample = 'v2';
export const changedInPlaceItsVersion = 'Changed in place: its version';
export const hookExample = '↪ f';
export const hookSign = 'A hook on the line of the value or the gradient that it sees';
export const hookedSavedSign = 'Saved by a hook: its wrapping holds what the hook keeps instead';
export const checkpointSign = 'A checkpoint: its ops keep nothing and run again';
export const tangentExample = '↓ 0.5';
export const tangentSign = 'Tangent: forward mode, beside the value, the same way';
export const repeatedTensorExample = '↑ x';
export const repeatedTensorSign = 'A tensor shown again near its user';
export const shapeExample = 'f32[2]';
export const shapeSign = 'A shape, after its dtype; bare brackets hold values';

/** What keys do within one part of the page. */
export const within = {
  timelineZoom: 'On the timeline: zoom in, zoom out, the whole run',
  edges: 'On the graph: up to what goes in, down to what takes it, sideways through the list',
  slides: 'In slides: the next slide or the answer to its question, the slide before',
  leaveSlides: 'In slides: leave them; in a field: leave the field first',
  moments: 'On the handle of a moment in your lesson: move it up, down, to the top, to the end',
  hits: 'In the search: next, previous hit',
  rows: 'In the table: the step above, the step below',
  divider: 'On a divider: move it; Enter folds the room',
  number:
    'In the editor: change the number at the cursor by its last digit, with Shift by ten of it, with Ctrl by a tenth; the run follows',
  leaveEditor: 'In the editor: leave it for the stage, as running does',
  button: 'On a button that was reached by Tab: press it; after a click it plays or pauses, as everywhere',
} as const;
