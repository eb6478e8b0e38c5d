// Texts about a link that was copied.

import type { Said } from '../said';

export const theLinkIsCopied = 'The link is copied.';
export const theLinkToStepIsCopied = (step: Said) => `The link to step ${step} is copied.`;
export const nobodyElseCanOpenIt = (host: Said) => `It leads to your own computer (${host}): nobody else can open it.`;
export const theLinkIsLong = (length: Said) =>
  `Its program makes it ${length} characters long, and some apps cut links that long.`;
export const exportHasAFile = 'Export has the run as one HTML file that anybody can open.';
export const exportTheFile = 'Export the file';
export const theShortLinkIsCopied = (step: Said) => `A short link to step ${step} is copied.`;
export const recordingIsKept = (days: number) =>
  `The recording and its program are kept for ${days} days, and whoever has the link can see them.`;
export const copyByHand = (href: Said) => `The browser does not let the page copy. The link is ${href}`;
export const noShortLink = (reason: Said) => `There is no short link: ${reason}`;
export const removeTheLink = 'Remove the link';
export const linkRemoved = 'The link is removed: nobody can open it any more.';
export const yourRecording = 'This is a recording that you shared.';
export const aRecording = 'This is a recording: nothing has run here.';
export const runLive = 'Run live';
export const tooLongForLink = 'The program is too long for a link. Export has the run as one HTML file or as a trace.';
export const copyRefused = 'The browser does not let the page copy. The link is in the address bar.';

// In the HTML that shows a lesson or a run in a page of somebody's own.

export const playsWithScripts = 'This plays where scripts are allowed.';
export const openIt = 'Open it in Backscope';
export const aLesson = (name: string) => (name === '' ? 'a lesson' : `a lesson, ${name}`);
export const whoMayEmbed =
  'BACKSCOPE_EMBED_FROM on the server names the pages that may show it; unset, a public server allows all, others none.';
