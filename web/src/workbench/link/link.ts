// The moment as a link: the program (an example's name, or the text compressed), the cursor, the selection, and what the
// debugger has: breakpoints and watched expressions, as text.

import * as say from '../../messages/page/app';
import { compress, expand } from '../../trace/compression';
import { decodeBase64Url, encodeBase64Url } from '../../transport/base64url';

export type Program = { example: string } | { source: string };
export type LinkedMoment = {
  program: Program | null;
  at: number | null;
  selection: string | null;
  /** The session whose run it is a moment of; a link for other people has none. */
  run: string | null;
  /** A short link leads to it; only the server writes such. */
  shared?: boolean;
  breakpoints: string[];
  watches: string[];
  /** What is folded on the stage, as `writeFolds` writes it. */
  folds: string[];
  /** The question whose answer is shown, as `writeInquiry` writes it. */
  why: string | null;
  /** What is looked for on the stage, and the filters that are set, as `keyOfFilter` writes them. */
  find: string | null;
  show: string[];
  /** The part of the stage that the reader chose to see, as `writeView` writes it, and the rooms that are open. */
  view: string | null;
  rooms: string[];
  /** The prints that were added to the run, as `writePrint` writes them. */
  prints: readonly string[];
  /** The reader's notes on moments: the number of a step, a colon, the text. */
  notes: string[];
};

/** A page of a lesson, from 1. */
export type LessonPlace = { name: string; page: number };

/** The first character of the name of a collected lesson, which holds its moments; no other name begins with it. */
export const LECTURE = '-';

/** Returns whether a lesson was collected from moments of runs. */
export function isLecture({ name }: LessonPlace): boolean {
  return name.startsWith(LECTURE);
}

/** The moment that a link without fields leads to. */
export const NO_MOMENT: LinkedMoment = {
  program: null,
  at: null,
  selection: null,
  run: null,
  breakpoints: [],
  watches: [],
  folds: [],
  why: null,
  find: null,
  show: [],
  view: null,
  rooms: [],
  prints: [],
  notes: [],
};

/** A longer program is not read from a link. */
export const MOST_SOURCE_BYTES = 1_000_000;

/** The fragment, without `#`, that `readLink` reads back. */
export async function writeLink(moment: LinkedMoment): Promise<string> {
  const parts: string[] = [];
  if (moment.program && 'example' in moment.program) {
    parts.push(`example=${encodeURIComponent(moment.program.example)}`);
  } else if (moment.program) {
    const packed = await compress(moment.program.source, 'deflate-raw');
    parts.push(`code=${encodeBase64Url(packed)}`);
  }
  if (moment.run) parts.push(`run=${encodeURIComponent(moment.run)}`);
  // As the page counts its steps: the first is 1, 0 is before it.
  if (moment.at !== null) parts.push(`step=${moment.at + 1}`);
  if (moment.selection) parts.push(`select=${encodeURIComponent(moment.selection)}`);
  for (const breakpoint of moment.breakpoints) parts.push(`break=${encodeURIComponent(breakpoint)}`);
  for (const expression of moment.watches) parts.push(`watch=${encodeURIComponent(expression)}`);
  for (const fold of moment.folds) parts.push(`fold=${encodeURIComponent(fold)}`);
  if (moment.why) parts.push(`why=${encodeURIComponent(moment.why)}`);
  if (moment.find) parts.push(`find=${encodeURIComponent(moment.find)}`);
  for (const filter of moment.show) parts.push(`show=${encodeURIComponent(filter)}`);
  if (moment.view) parts.push(`view=${moment.view}`);
  for (const room of moment.rooms) parts.push(`open=${encodeURIComponent(room)}`);
  for (const print of moment.prints) parts.push(`print=${encodeURIComponent(print)}`);
  for (const note of moment.notes) parts.push(`note=${encodeURIComponent(note)}`);
  return parts.join('&');
}

/** The cursor that a link leads to: by the number of a step, or by `at`, which counts from 0, as older links do. */
function cursorOf(step: string | null, at: string | null): number | null {
  if (step !== null && /^\d+$/.test(step)) return Number(step) - 1;
  return at !== null && /^-?\d+$/.test(at) ? Math.max(-1, Number(at)) : null;
}

/** Reads a fragment; throws an error that says what is wrong when the program in it is damaged. */
export async function readLink(fragment: string): Promise<LinkedMoment> {
  const fields = new URLSearchParams(fragment.replace(/^#/, ''));
  const example = fields.get('example');
  const code = fields.get('code');
  const step = fields.get('step');
  const at = fields.get('at');
  let program: Program | null = null;
  if (code) {
    try {
      const bytes = await expand(decodeBase64Url(code), 'deflate-raw', MOST_SOURCE_BYTES);
      program = { source: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
    } catch {
      throw new Error(say.linkedProgramDamaged);
    }
  } else if (example) {
    program = { example };
  }
  return {
    program,
    at: cursorOf(step, at),
    selection: fields.get('select'),
    run: fields.get('run'),
    ...(fields.has('shared') ? { shared: true } : {}),
    breakpoints: fields.getAll('break'),
    watches: fields.getAll('watch'),
    folds: fields.getAll('fold'),
    why: fields.get('why'),
    find: fields.get('find'),
    show: fields.getAll('show'),
    view: fields.get('view'),
    rooms: fields.getAll('open'),
    prints: fields.getAll('print'),
    notes: fields.getAll('note'),
  };
}

/** The fragment of a page of a lesson. */
export function writeLesson({ name, page }: LessonPlace): string {
  return `lesson=${encodeURIComponent(name)}${page > 1 ? `&page=${page}` : ''}`;
}

/** The page of a lesson that a fragment names; null where it names none. */
export function readLesson(fragment: string): LessonPlace | null {
  const fields = new URLSearchParams(fragment.replace(/^#/, ''));
  const name = fields.get('lesson');
  return name ? { name, page: Math.max(1, Number(fields.get('page')) | 0) } : null;
}
