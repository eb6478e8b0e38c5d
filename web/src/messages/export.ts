// Texts of the export, and of a page in one file.

import { counted } from '../format/number';

export const theRun = 'The run';
export const webPage = 'Web page (.html)';
export const trace = 'Trace (.backscope)';
export const aboutTheFiles =
  'The web page is one file that plays the run from a disk, without a server. It cannot run the program again. ' +
  'The trace opens in any Backscope.';
export const saved = (size: string) => `Saved ${size}.`;
export const shortLink = 'Short link';
export const keepAndCopy = 'Keep the run and copy its link';
export const removeLink = 'Remove the link';
export const aboutTheShortLink =
  'The server keeps the recording and the program in it. Whoever has the link sees this step, and runs nothing by opening it.';
export const linkKept = (days: number) => `It is kept for ${days} days; this browser can remove it.`;
export const linkRemoved = 'The link is removed.';
export const thisMoment = 'This moment';
export const whatIsShown = 'What is shown';
export const whatTheFilmShows = 'What the film shows';
export const themeOfTheFilm = 'Theme of the film';
export const whatISee = 'What I see';
export const wholeGraph = 'Whole graph';
export const colours = 'Colours';
export const light = 'Light';
export const dark = 'Dark';
export const withTheCaption = 'With the caption';
export const picturePng = 'PNG';
export const pictureSvg = 'SVG';
export const nothingDrawn = 'Nothing is drawn at this step.';
export const nothingRecorded = 'This recording has no steps.';
export const savedPicture = (width: number, height: number, scale: number) =>
  scale < 1
    ? `Saved, ${width} × ${height}: the graph is drawn at ${Math.round(scale * 100)} %, so that it fits into a picture.`
    : `Saved, ${width} × ${height}.`;
export const thePictureIsTooLarge = 'The browser cannot hold a picture of this size. Save what you see, or an SVG.';
export const someSteps = 'Some steps';
export const from = 'From';
export const to = 'to';
export const speed = 'Speed of the film';
export const width = 'Width';
export const pixels = (count: number) => `${count} px`;
export const filmGif = 'GIF';
export const filmWebm = 'WebM';
export const progress = 'Drawing';
export const cancel = 'Cancel';
export const cancelled = 'Cancelled.';
export const stepsAre = (steps: number) => `The steps of this run are 1 to ${steps}.`;
export const tooManySteps = (most: number) => `A film has at most ${most} steps.`;
export const noEncoder = 'This browser has no encoder for WebM, or keeps it from pages without HTTPS.';
export const inYourPage = 'In a page of yours';
export const copyFrame = 'Copy the iframe';
export const copyElement = 'Copy the element';
export const runFrame = 'The frame plays the recording, and runs the program only on a click.';
export const lessonFrame = 'The frame has this lesson, at this page, and runs its programs.';
export const shareLesson = 'Share the lesson';
export const copied = 'Copied.';
export const embedCopied = 'Copied. Save the trace as program.backscope beside your page.';
export const theTraceIsTooLong =
  'This recording is too long for an address: its trace is larger than 1.4 MB. Link to its web page instead.';
export const aRun = 'a run';
export const templateNotLoaded = 'The server, which has the empty page, does not answer. Start it, then try again.';

export const recording = 'Recording';
export const aboutThisFile = (kind: string) => `${kind}: about this file`;
export const whatItIs =
  'This file holds a recorded run and what it takes to show it. It loads nothing and sends nothing.';
export const whatItCannot =
  'It cannot run the program again, change it, answer why, or show more values of a tensor than were recorded: all up ' +
  'to 256, else the first 16. For that, save the trace and drop it on a Backscope.';
export const saveTheTrace = 'Save the trace';
export const theRecordingIsDamaged = 'The recording in this file is damaged. Ask for it again.';
export const titleOf = (name: string) => `${name} – Backscope`;
export const thisRunHasSteps = (count: number, step: number) =>
  `This run has ${counted(count, 'step')}; step ${counted(step)} is not among them.`;
