// What is said where things are taken away, and in a page that is one file.

export const exportTitle = 'Export';
export const room = 'export';
export const theRun = 'The run';
export const webPage = 'Web page (.html)';
export const trace = 'Trace (.backscope)';
export const aboutTheFiles =
  'The web page is one file that plays the run from a disk, without a server. It cannot run the program again. ' +
  'The trace opens in any Backscope.';
export const saved = (size: string) => `Saved ${size}.`;
export const theTemplateIsAway = 'The server, which has the empty page, does not answer. Start it, then try again.';

export const recording = 'Recording';
export const aboutThisFile = 'About this file';
export const whatItIs =
  'This file holds a recorded run and what it takes to show it. It loads nothing and sends nothing.';
export const whatItCannot =
  'It cannot run the program again, change it, answer why, or show more values of a tensor than were recorded: all up ' +
  'to 256, else the first 16. For that, save the trace and drop it on a Backscope.';
export const saveTheTrace = 'Save the trace';
export const theRecordingIsDamaged = 'The recording in this file is damaged. Ask for it again.';
export const titleOf = (name: string) => `${name} – Backscope`;
