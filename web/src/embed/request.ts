// Reads the address of a frame: a lesson, a recording or a program, a moment of it, and how it looks.

import * as say from '../messages/embed';
import type { ThemeChoice } from '../theme/theme.svelte';
import { expand } from '../trace/compression';
import { decodeBase64Url } from '../transport/base64url';
import { readLesson, readLink, writeLesson } from '../workbench/link/link';

export type Wanted = {
  lesson: string | null;
  trace: Blob | null;
  example: string | null;
  source: string | null;
  /** The rest of the fragment, as a link has it: moment, selection, folds; of a lesson its name and page. */
  moment: string;
  theme: ThemeChoice;
  /** What is shown at all, apart from where in it: the same for two frames of the same thing. */
  subject: string;
};

const THEMES: readonly ThemeChoice[] = ['system', 'light', 'dark'];
const SUBJECTS = ['lesson', 'trace', 'example', 'code', 'source'];
/** More than a server takes as a program. */
const MOST_SOURCE_BYTES = 1_000_000;

/** Reads the fragment of a frame's address; throws an error that says what is damaged. */
export async function readWanted(fragment: string): Promise<Wanted> {
  const fields = new URLSearchParams(fragment.replace(/^#/, ''));
  const step = fields.get('step');
  const trace = fields.get('trace');
  const theme = THEMES.find((choice) => choice === fields.get('theme')) ?? 'system';
  const moment = new URLSearchParams();
  for (const name of ['at', 'select', 'fold', 'find', 'show']) {
    for (const value of fields.getAll(name)) moment.append(name, value);
  }
  // As the page counts its steps, the first is 1.
  if (step !== null && /^\d+$/.test(step)) moment.set('at', String(Number(step) - 1));
  let source = fields.get('source');
  if (source === null && fields.has('code')) {
    const { program } = await readLink(`code=${fields.get('code')}`);
    source = program && 'source' in program ? program.source : null;
  }
  const lesson = readLesson(fragment);
  return {
    lesson: lesson?.name ?? null,
    trace: trace === null ? null : await blobOf(trace),
    example: fields.get('example'),
    source: source !== null && source.length <= MOST_SOURCE_BYTES ? source : null,
    moment: lesson ? writeLesson(lesson) : moment.toString(),
    theme,
    subject: SUBJECTS.map((name) => fields.get(name) ?? '').join('\0'),
  };
}

/** The bytes of a trace; what is no gzip at all is found here, before anything is shown. */
async function blobOf(text: string): Promise<Blob> {
  try {
    const bytes = decodeBase64Url(text);
    if (bytes[0] !== 0x1f) await expand(bytes, 'gzip', 1);
    return new Blob([bytes]);
  } catch {
    throw new Error(say.theTraceIsDamaged);
  }
}
