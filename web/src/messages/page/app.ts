// Texts of the frame of the page: the header, the panels, notices, links.

import type { Said } from '../said';

export const backscope = 'Backscope';
export const program = 'Program';
export const stop = 'Stop';
export const stopping = 'Stopping…';
export const runHint = 'Run the program (Ctrl+Enter)';
export const run = 'Run';
export const linkCopied = 'Link copied';
export const copyMomentLink = 'Copy a link to this moment';
export const lightTheme = 'Light theme';
export const darkTheme = 'Dark theme';
export const linkCopiedDone = 'Link copied.';
export const dividerHint = (label: Said) => `${label}: drag, or double-click to fold`;
export const dropTrace = 'Drop a .backscope trace to open it';
export const keysAndSigns = 'Keys and signs';
export const roomMissing = (name: Said) => `The ${name} could not be loaded.`;
export const roomFailed = (name: Said) => `The ${name} could not show this step.`;
export const tryAgain = 'Try again';
export const unfold = (title: string) => `Unfold ${title.toLowerCase()}`;
export const fold = (title: string) => `Fold ${title.toLowerCase()}`;
export const editedSinceThisRun = 'Edited since this run';
export const noteOnThisStep = 'Note on this step';
export const close = 'Close';
export const sheets = 'Rooms';
export const sheetNames = {
  code: 'Code',
  inspector: 'Inspect',
  table: 'Steps',
  console: 'Console',
  debugger: 'Debug',
  differences: 'Compare',
  exports: 'Export',
} as const;
export const timeline = 'Timeline';
export const code = 'Code';
export const editedSinceRun = 'Edited since this run. Ctrl+Enter runs it.';
export const widthOfTheCode = 'Width of the code';
export const heightOfTheConsole = 'Height of the console';
export const console = 'Console';
export const widthOfTheInspector = 'Width of the inspector';
export const inspector = 'Inspector';
export const heightOfTheDebugger = 'Height of the debugger';
export const debuggerTitle = 'Debugger';
export const breakpoint = 'breakpoint';
export const breakpoints = 'breakpoints';
export const heightOfTheTimeline = 'Height of the timeline';
export const notSandboxed = 'Not sandboxed: this system has no walls around programs. Run only code that you trust.';
export const closeThisMessage = 'Close this message';
export const theConnectionWasLostReconnecting = 'The connection was lost. Reconnecting.';
export const theServerCannotBeReached = 'The server cannot be reached.';
export const stepThroughArrived = (reason: Said) => `${reason} What has arrived can still be stepped through.`;
export const serverEnded = 'the server was ended while it ran, or its trace file lost its end.';
export const traceEndMissing = 'the end of the trace file is missing.';
export const runCutOff = (length: Said, session: Said) =>
  `This run is cut off after event ${length}: ${session} What was recorded can be stepped through.`;
export const noSuchExample = (example: Said) => `There is no example “${example}”. Showing the first one.`;
export const aProgramReadIt = 'a program. Read it';
export const linkedExpressions = 'expressions that the debugger evaluates. Read them';
export const linkWaitsForRun = (brought: Said) => `This link brings ${brought}, then press Run.`;
export const lastRunStillShown = (reason: Said) => `${reason} The last run is still shown.`;
export const runGone = 'This run is gone: the server does not have it any more.';
export const programNotInLink = (gone: Said) => `${gone} Its program is not in the link.`;
export const programInEditor = (gone: Said) => `${gone} Its program is in the editor.`;
export const runItAgain = 'Run it again';
export const runLeftUnreached = 'The run was left while the server could not be reached.';
export const leftLine = 'You left the line. Run takes a new place.';
export const noProgramIsRunning = 'No program is running.';
export const readingCancelled = (file: Said) => `The rest of ${file} was not read.`;
export const traceContradictsItself =
  'This trace cannot be shown: its events contradict each other. Record the run again.';
export const serverSilent = 'The server does not answer. Start it with `python3 server`, then run the program again.';
export const theServerAnsweredTo = (status: Said, path: Said) => `The server answered ${status} to ${path}.`;
export const linkedProgramDamaged =
  'The program in this link is damaged: part of the link is missing. Ask for the whole link.';
/** Beside the icons of the header where there is room; each is part of its button's name. */
export const words = {
  commands: 'Commands',
  link: 'Link',
  exports: 'Export',
  light: 'Light',
  dark: 'Dark',
  keys: 'Keys',
};
export const allCommands = 'All commands';
export const palette = 'list of commands';
export const lesson = 'lesson';
export const comparison = 'comparison';
export const exportTitle = 'Export';
export const exportRoom = 'export';
export const saving = (name: Said) => `Saving ${name}`;
export const progress = 'Progress';
export const cancel = 'Cancel';
export const stage = 'Stage';
export const theGraph = 'graph';
export const theCaption = 'caption';
export const theTable = 'table';
