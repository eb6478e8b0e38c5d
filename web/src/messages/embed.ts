// Texts of the player in a frame of another page.

export const runLive = 'Run live';
export const whatRunLiveDoes = (host: string) => `Runs this program at ${host}`;
export const open = 'Open in Backscope';
export const live = 'Live';
export const recording = 'Recording';
export const openShort = 'Open';
export const rooms = 'Rooms';
export const lesson = 'Lesson';
export const lecture = 'A lesson, step by step through its programs.';
export const timeline = 'Timeline';
export const addressNamesNothing =
  'This frame names no program: its address has neither lesson, trace, example, code nor source.';
export const examplesNotLoaded = (name: string) =>
  `The example “${name}” cannot be shown here: the server gives its examples to its own page only, or has none of that name.`;
export const theTraceIsDamaged = 'The recording in this frame is damaged: part of its address is missing.';
