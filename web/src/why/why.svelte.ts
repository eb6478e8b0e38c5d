// The questions about the selection and the answer that is shown: the server computes both from the log of the run.

import { reasonOf } from '../format/reason';
import * as say from '../messages/why';
import { type Answer, fetchAnswer, fetchQuestions, type Question, ServerError } from '../run/api';
import { isGone, lend, sessionOf } from '../run/lent';
import type { Run } from '../run/run.svelte';
import { type Inquiry, type Subject, subjectOf } from '../run/subject';
import type { Target } from '../scene/target';

/** An answer with its question, and the event after which it was asked; `unasked` comes by itself with its step and goes with it. */
export type Shown = Inquiry & { text: string; diagnosis: Answer; unasked: boolean };
/** The nodes and tensors that an answer is about. */
export type Lit = { nodes: ReadonlySet<number>; tensors: ReadonlySet<number> };

/** What the questions need of the page. */
export type WhyPage = {
  readonly why: Why;
  readonly selection: Target | null;
  readonly playback: { readonly playing: boolean };
  /** Programs run on a server here. */
  readonly served: boolean;
  moveToSeq(seq: number): void;
  readonly code: { showLine(line: number): void };
};

/** The questions of a moment that is left at once need not be fetched. */
const REST_MS = 250;
const MOST_KEPT = 200;

/** The page's questions; a run has the page's attention as long as it is shown. */
export class Why {
  questions = $state.raw<readonly Question[]>([]);
  shown = $state.raw<Shown | null>(null);
  /** The question that is on its way. */
  asking = $state<string | null>(null);
  /** Why there is no answer, and what to do. */
  problem = $state<string | null>(null);
  /** Counts how often the reader called for the questions by key. */
  summoned = $state(0);
  /** An answer that a link leads to, until its moment has arrived. */
  wanted = $state.raw<Inquiry | null>(null);
  /** The error that was explained in full last. */
  explained = -1;
  readonly #kept = new Map<string, readonly Question[]>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #turn = 0;

  /** What the answer lights up on the stage. */
  readonly lit = $derived.by((): Lit | null => {
    const found = this.shown?.diagnosis;
    return found ? { nodes: new Set(found.nodes), tensors: new Set(found.tensors) } : null;
  });

  /** Finds out, once the reader rests there, what can be asked at a moment about each of some things; null is the run. */
  consider(run: Run | null, seq: number, targets: readonly (Target | null)[]): void {
    clearTimeout(this.#timer);
    this.#turn += 1;
    const turn = this.#turn;
    const session = run ? sessionOf(run) : null;
    if (!run || !session || seq < 0) {
      this.questions = [];
      return;
    }
    const subjects = targets.map((target) => subjectOf(target, run.log));
    const known = subjects.map((about) => this.#kept.get(keyOf(session, seq, about)));
    if (known.every((questions) => questions !== undefined)) {
      this.questions = distinct(known.flat());
      return;
    }
    // What was asked about something else is no question here; about the same thing it likely still is.
    const abouts = new Set(subjects.map((about) => keyOf(session, 0, about)));
    if (!this.questions.every(({ about }) => abouts.has(keyOf(session, 0, about)))) this.questions = [];
    this.#timer = setTimeout(async () => {
      try {
        const found = await Promise.all(subjects.map((about) => this.questionsAt(session, seq, about)));
        if (turn === this.#turn) this.questions = distinct(found.flat());
      } catch (error) {
        if (turn !== this.#turn) return;
        this.questions = [];
        this.#missed(run, error);
      }
    }, REST_MS);
  }

  /** The questions about something at a moment; they are kept, so that the server is not asked for them again. */
  async questionsAt(session: string, seq: number, about: Subject): Promise<readonly Question[]> {
    const key = keyOf(session, seq, about);
    const known = this.#kept.get(key);
    if (known) return known;
    const questions = await fetchQuestions(session, seq, about).catch((error: unknown) => {
      // What is not there at this moment has no questions.
      if (error instanceof ServerError && error.status === 422) return [];
      throw error;
    });
    if (this.#kept.size >= MOST_KEPT) this.#kept.delete(this.#kept.keys().next().value!);
    this.#kept.set(key, questions);
    return questions;
  }

  #missed(run: Run, error: unknown): void {
    if (isGone(error)) run.forgotten = true;
    // Where a run is too long the reader is shown why; a server that is busy or away is asked again the next time that nothing comes.
    if (error instanceof ServerError && error.status === 413) this.problem = error.message;
  }

  /** Asks a question and shows its answer. */
  async ask(run: Run, inquiry: Inquiry, text = '', unasked = false): Promise<void> {
    const session = sessionOf(run);
    if (!session) return;
    this.asking = inquiry.key;
    this.problem = null;
    const turn = this.#turn;
    try {
      const diagnosis = await fetchAnswer(session, inquiry);
      run.log.files.answer(diagnosis);
      const isLate = unasked && run.seq !== inquiry.seq;
      if (this.asking === inquiry.key && !isLate) this.shown = { ...inquiry, text, diagnosis, unasked };
    } catch (error) {
      if (turn === this.#turn || this.asking === inquiry.key) this.problem = reasonOf(error);
    } finally {
      if (this.asking === inquiry.key) this.asking = null;
    }
  }

  /** Gives the server the trace of a run that it does not have, so that it can be asked about. */
  async lend(run: Run): Promise<void> {
    this.asking = '';
    this.problem = null;
    try {
      await lend(run);
    } catch (error) {
      const away = error instanceof ServerError && error.status === null;
      this.problem = away ? say.serverSilent : reasonOf(error);
    } finally {
      this.asking = null;
    }
  }

  /** Puts away what came by itself with a step that is left. */
  leave(seq: number): void {
    if (!this.shown?.unasked || this.shown.seq === seq) return;
    this.shown = null;
    this.explained = -1;
  }

  /** Puts the answer away; true when there was one. */
  putAway(): boolean {
    const was = this.shown !== null || this.problem !== null;
    this.shown = null;
    this.problem = null;
    this.asking = null;
    return was;
  }
}

/** What can be asked of a run and of what acts in it, once. */
function distinct(questions: readonly Question[]): Question[] {
  return [...new Map(questions.map((question) => [`${question.key} ${question.text}`, question])).values()];
}

function keyOf(session: string, seq: number, { tensor, node }: Subject): string {
  return `${session}/${seq}/${tensor}/${node}`;
}
