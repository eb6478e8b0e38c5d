// Texts of the sheet that gives a collected lesson away.

import type { Said } from '../said';

export const share = 'Share';
export const shareHint = 'A link or a file of the lesson';
export const title = 'Share this lesson';
export const close = 'Close';
const momentsOf = (moments: number) => (moments === 1 ? 'one moment' : `${moments} moments`);
const programsOf = (programs: number) => (programs === 1 ? 'one program' : `${programs} programs`);
const capital = (words: string) => words.charAt(0).toUpperCase() + words.slice(1);
export const ownComputer = (host: Said, moments: number, programs: number) =>
  `This page runs on your own computer (${host}), so nobody else can open a link to it. Send a file: it holds ${momentsOf(moments)} of ${programsOf(programs)}.`;
export const link = 'Link';
export const linkLabel = 'The link to the lesson';
export const copyLink = 'Copy link';
export const copyOwnLink = 'Copy a link for yourself';
export const linkCopied = 'The link is copied.';
export const ownLinkCopied = 'The link is copied. Only this computer can open it.';
export const notCopied = 'The browser did not let the page copy. Select the link and copy it.';
export const leadsTo = 'Leads to';
export const holds = 'Holds';
export const whatItHolds = (moments: number, programs: number) =>
  `${capital(momentsOf(moments))} and ${programsOf(programs)}, with your sentences.`;
export const opens = 'Opens for';
export const everybody = 'Everybody who has it. Programs run once the reader has seen them.';
export const kept = 'Kept';
export const keptInLink = 'In the link itself: the server keeps nothing.';
export const keptAmong = (host: Said, kept: number) =>
  `On ${host}, which keeps the ${kept} lessons that were shared or opened last. Nobody can change it.`;
export const wouldBeKept = (host: Said) =>
  `On ${host}, until many other lessons were shared or opened after it. Nobody can change it.`;
export const linkTooLong = (length: Said, most: Said) =>
  `With the lesson in it the link has ${length} characters, and some programs cut those of more than ${most}.`;
export const canBeKept = 'The server can keep the lesson instead.';
export const cannotBeKept = 'This server keeps no lessons: where the link does not arrive whole, send a file.';
export const makeLink = 'Keep it and make a link';
export const linkMade = 'The lesson is kept, and the link is short now.';
export const inAPage = 'In a page of yours';
export const copyFrame = 'Copy the iframe';
export const copyElement = 'Copy the element';
export const frameCopied = 'The iframe is copied.';
export const elementCopied = 'The element is copied.';
export const snippetNotCopied = 'The browser did not let the page copy. Select the HTML and copy it.';
export const snippetLabel = 'The HTML for your page';
export const frameOfServer =
  'Both show the lesson from this server. The element is as high as its content, and needs a script; the iframe needs none.';
export const frameOfFile = (name: Said) =>
  `It shows ${name}: save the web page, and put it beside your page. No server is needed.`;
export const files = 'Files';
export const webPage = 'Web page';
export const aboutWebPage = (name: Said) => `${name} plays the lesson in any browser, without a server.`;
export const lessonFile = 'Lesson file';
export const aboutLessonFile = (name: Said) => `${name} is text to edit; backscope lesson check runs it.`;
export const making = 'Running the programs and making the page';
export const saved = (name: Said, size: Said) => `Saved ${name}, ${size}.`;
