// A lecture: an ordered list of moments of runs, each with its author's sentence; reading one, and making a lesson of it.

import { isValue } from '../lesson/kept-answer';
import * as say from '../messages/lecture/collecting';
import type { Lesson, Place, PredictBlock, ValueQuestion } from '../protocol/lessons';
import { PANELS, type PanelName } from '../widgets/panels.svelte';

export type Program = { source: string; seed: number; raises: string | null };
export type Question = { ask: string; answer: NonNullable<ValueQuestion['answer']> };
/**
 * `program` is the index of its program, `at` its name in a lesson's file; `caption` is the sentence that the page has for it,
 * `text` that of the author, `question` an expression of which the reader is to predict the value, `hide` the panels that are
 * not shown with it.
 */
export type Collected = {
  program: number;
  at: string;
  place: Place;
  caption: string;
  text: string;
  question: Question | null;
  hide: readonly PanelName[];
};
export type Lecture = { title: string; learned: string; programs: Program[]; moments: Collected[] };

export const MOST_MOMENTS = 200;
export const MOST_TEXT = 2000;
/** As long as an expression of a lesson may be. */
export const MOST_EXPRESSION = 1000;
/** As long as a line in the front matter of a lesson may be. */
export const MOST_TITLE = 200;
export const MOST_SOURCE = 100_000;

export const emptyLecture = (): Lecture => ({ title: '', learned: '', programs: [], moments: [] });

type Unknown = Record<string, unknown>;

function textOf(value: unknown, most: number): string | null {
  return typeof value === 'string' && value.length <= most ? value : null;
}

function countOf(value: unknown): number | null {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : null;
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value.slice(0, MOST_MOMENTS) : [];
}

function readProgram(found: unknown): Program | null {
  const { source, seed, raises } = (found ?? {}) as Unknown;
  const text = textOf(source, MOST_SOURCE);
  const number = countOf(seed);
  return text === null || number === null ? null : { source: text, seed: number, raises: textOf(raises, 100) };
}

function readQuestion(found: unknown): Question | null {
  const { ask, answer } = (found ?? {}) as Unknown;
  const expression = textOf(ask, MOST_EXPRESSION);
  return expression && isValue(answer) ? { ask: expression, answer } : null;
}

/** The panels that are hidden beside a moment that was collected before it said which. */
const USUALLY_HIDDEN: readonly PanelName[] = ['console', 'inspector', 'debugger'];

function readHidden(found: unknown): readonly PanelName[] {
  return Array.isArray(found) ? PANELS.filter((name) => found.includes(name)) : USUALLY_HIDDEN;
}

function readMoment(found: unknown, programs: number): Collected | null {
  const { program, at, place, caption, text, question, hide } = (found ?? {}) as Unknown;
  const { step, seq, read_seq } = (place ?? {}) as Unknown;
  const [index, name, words, own] = [
    countOf(program),
    textOf(at, 200),
    textOf(caption, MOST_TEXT),
    textOf(text, MOST_TEXT),
  ];
  const [atStep, last, read] = [countOf(step), countOf(seq), countOf(read_seq)];
  if (index === null || index >= programs || !name || words === null || own === null) return null;
  if (atStep === null || last === null || read === null) return null;
  return {
    program: index,
    at: name,
    place: { step: atStep, seq: last, read_seq: read },
    caption: words,
    text: own,
    question: readQuestion(question),
    hide: readHidden(hide),
  };
}

/** Reads a lecture out of what a browser kept or a link holds; what is damaged in it is left out. */
export function readLecture(found: unknown): Lecture {
  const { title, learned, programs, moments } = (found ?? {}) as Unknown;
  const read = listOf(programs).map(readProgram);
  const sound = read.every((program) => program !== null) ? read : [];
  return {
    title: textOf(title, MOST_TITLE) ?? '',
    learned: textOf(learned, MOST_TITLE) ?? '',
    programs: sound,
    moments: listOf(moments)
      .map((one) => readMoment(one, sound.length))
      .filter((one) => one !== null),
  };
}

/** A lecture with the programs that its moments are of, and no others. */
export function withUsedPrograms({ programs, moments, ...rest }: Lecture): Lecture {
  const used = [...new Set(moments.map(({ program }) => program))];
  return {
    ...rest,
    programs: used.map((index) => programs[index]!),
    moments: moments.map((one) => ({ ...one, program: used.indexOf(one.program) })),
  };
}

/** A caption as Markdown that says the same. */
export function asMarkdown(caption: string): string {
  return caption.replace(/[\\`<]|(?<!\s)[*_]|[*_](?!\s)/g, '\\$&');
}

/** The lesson that a lecture makes: each program above its first moment, then a block for each moment. */
export function lessonOf(lecture: Lecture, name: string): Lesson {
  const { programs, moments } = lecture;
  const blocks: Lesson['blocks'] = [];
  const shown: number[] = [];
  const nameOf = (index: number) => (shown.indexOf(index) === 0 ? 'program' : `program${shown.indexOf(index) + 1}`);
  for (const moment of moments) {
    const { program: index, at, place, question, hide } = moment;
    const { source, seed, raises } = programs[index]!;
    if (!shown.includes(index)) {
      shown.push(index);
      blocks.push({ kind: 'program', line: 1, name: nameOf(index), source, source_line: 1, seed, raises });
    }
    const text = moment.text.trim() || asMarkdown(moment.caption);
    const shared = { line: blocks.length + 1, program: nameOf(index), at: { text: at, place }, hide: [...hide] };
    if (question) blocks.push({ kind: 'predict', ...shared, ...predictionOf(text, question) });
    else blocks.push({ kind: 'step', ...shared, text });
  }
  const title = lecture.title.trim() || say.untitled;
  return {
    name,
    title,
    goal: say.goalOf(moments.length),
    learned: lecture.learned.trim() || title,
    minutes: Math.max(1, Math.min(60, Math.round(moments.length / 2))),
    needs: [],
    lines: {},
    blocks,
  };
}

/** The sentence of the moment is shown with the answer. */
function predictionOf(
  text: string,
  { ask, answer }: Question,
): Pick<PredictBlock, 'text' | 'question' | 'wrong' | 'otherwise' | 'right'> {
  return {
    text: say.whatIs(ask),
    question: { form: 'value', ask, within: null, answer },
    wrong: [],
    otherwise: null,
    right: text,
  };
}
