// A lesson that is being taken: its pages, what the reader answered, and the way of the run's cursor from page to page.

import { untrack } from 'svelte';
import { reasonOf } from '../format/reason';
import type { Answers } from '../learn/answers';
import type { Progress } from '../learn/progress.svelte';
import { fetchVerdict } from '../learn/shelf';
import type { Lesson, ProgramBlock } from '../protocol/lessons';
import type { Run } from '../run/run.svelte';
import type { Workbench } from '../workbench/workbench.svelte';
import { isGiven, isReached, type Reached } from './kept-answer';
import type { Attempt, Given, Outcome, Verdict } from './outcome';
import { isAskedBefore, type Page, pagesOf, placeOf, revealedAt } from './pages';

/** The steps before a moment that are played; those before them are passed over. */
const MOST_PLAYED = 12;
/** As many of them where the reader needs the moment to answer. */
const MOST_AWAITED = 1;

/** What a lesson needs of the page. */
export type LessonBench = Pick<
  Workbench,
  'lesson' | 'run' | 'pending' | 'draft' | 'seed' | 'rerun' | 'playback' | 'begin' | 'edit' | 'runLesson'
>;
/** Judges an answer. */
export type Judge = (page: Extract<Page, { kind: 'predict' }>, given: Given) => Verdict;

/** A text of a program that is to be shown once it has run; `plays`: its cursor travels to the page's moment. */
type Visit = { source: string; plays: boolean };

export class Play {
  readonly pages: readonly Page[];
  /** By the index of the page. */
  #outcomes = $state.raw<ReadonlyMap<number, Outcome>>(new Map());
  #attempts = $state.raw<ReadonlyMap<number, Attempt>>(new Map());
  #visit = $state.raw<Visit | null>(null);
  /** The page that was shown before. */
  #left: number | null = null;
  /** The pages whose solution was shown before the reader had found it. */
  readonly #read = new Set<number>();
  /** The run whose verdict was asked for last. */
  #judged: Run | null = null;

  constructor(
    readonly bench: LessonBench,
    readonly lesson: Lesson,
    readonly progress: Pick<Progress, 'of' | 'reach' | 'solve'>,
    readonly judge: Judge,
    /** Those that were given before, where they are kept. */
    private readonly answers: Pick<Answers, 'read' | 'keep' | 'forget'> | null = null,
  ) {
    this.pages = pagesOf(lesson);
    this.#outcomes = this.#given();
    this.#attempts = this.#reached();
  }

  /** What came of the questions that were answered before; what is damaged in it is left out. */
  #given(): ReadonlyMap<number, Outcome> {
    const answered = this.answers?.read() ?? {};
    const outcomes = new Map<number, Outcome>();
    for (const [index, page] of this.pages.entries()) {
      const found = page.kind === 'predict' ? answered[page.block.line] : undefined;
      if (page.kind !== 'predict' || !found) continue;
      const given = isGiven(found.given, page.block.question) ? found.given : null;
      const verdict = given && this.judge(page, given);
      const revealed = found.revealed === true || verdict?.right === true;
      if (given || revealed) outcomes.set(index, { given, verdict, revealed });
    }
    return outcomes;
  }

  /** The changes that were reached before. */
  #reached(): ReadonlyMap<number, Attempt> {
    const answered = this.answers?.read() ?? {};
    const attempts = new Map<number, Attempt>();
    for (const [index, page] of this.pages.entries()) {
      const found = page.kind === 'change' ? answered[page.block.line]?.given : undefined;
      if (!isReached(found)) continue;
      const { source, text, read } = found;
      attempts.set(index, { source, judging: false, reached: true, text, problem: null });
      if (read) this.#read.add(index);
    }
    return attempts;
  }

  /** Nothing was answered or tried in this lesson so far. */
  get isNew(): boolean {
    return this.#outcomes.size === 0 && this.#attempts.size === 0;
  }

  /** Forgets all answers, and goes to the first page. */
  startOver(): void {
    this.answers?.forget();
    this.#outcomes = new Map();
    this.#attempts = new Map();
    this.#read.clear();
    this.goTo(0);
  }

  /** The index of the page that the address names, or of the nearest one. */
  get index(): number {
    const place = this.bench.lesson;
    // Until another lesson has come, this one stays where it is.
    const page = place?.name === this.lesson.name ? place.page : (this.#left ?? 0) + 1;
    return Math.max(0, Math.min(this.pages.length - 1, page - 1));
  }

  get page(): Page {
    return this.pages[this.index]!;
  }

  /** What the reader answered on this page; null for nothing so far. */
  get outcome(): Outcome | null {
    return this.#outcomes.get(this.index) ?? null;
  }

  /** The change that was tried last on this page. */
  get attempt(): Attempt | null {
    return this.#attempts.get(this.index) ?? null;
  }

  /** The question of this page waits for an answer. */
  get isAsking(): boolean {
    return this.page.kind === 'predict' && !this.outcome?.revealed;
  }

  /** The reader changed the program on a page that is not about a change. */
  get isEdited(): boolean {
    const { page, bench } = this;
    return page.kind !== 'change' && page.program !== null && bench.draft !== page.program.source;
  }

  /** The program of the page could not be run. */
  get isMissing(): boolean {
    const { bench } = this;
    if (this.#visit === null || bench.pending !== null) return false;
    return bench.run?.source !== this.#visit.source || (!bench.run.finished && bench.run.status === 'unreachable');
  }

  /** Goes on by a page, or back. */
  turn(by: 1 | -1): void {
    this.goTo(this.index + by);
  }

  /** Goes on: from a question to its answer, from that to the next page. */
  goOn(): void {
    if (this.isAsking) this.reveal();
    else this.turn(1);
  }

  /** Goes to a page, where there is one. */
  goTo(index: number): void {
    if (index >= 0 && index < this.pages.length) this.bench.lesson = { name: this.lesson.name, page: index + 1 };
  }

  /** Brings the program and the moment of the page that the reader came to. */
  arrive(): void {
    const { bench, page, index } = this;
    const left = this.#left;
    if (left === index) return;
    this.#left = index;
    bench.playback.pause();
    this.progress.reach(this.lesson.name, index + 1, this.pages.length);
    const { program } = page;
    const tried = page.kind === 'change' ? this.attempt?.source : undefined;
    if (program) this.#show(tried ?? program.source, program, left === index - 1);
  }

  /** Runs again what could not be run: what the reader wrote, on a page that asks for a change. */
  runAgain(): void {
    const { page, bench } = this;
    if (page.kind === 'change') {
      this.#visit = { source: bench.draft, plays: false };
      $effect.root(() => bench.begin());
    } else this.restore();
  }

  /** Runs the program of the page as the lesson has it. */
  restore(): void {
    const { program } = this.page;
    if (program) this.#show(program.source, program, false);
  }

  #show(source: string, { seed }: ProgramBlock, plays: boolean): void {
    const { bench } = this;
    this.#visit = { source, plays };
    const isThere = bench.run?.source === source && bench.run.finished && bench.seed === seed && bench.pending === null;
    // A run outlasts the panel of the lesson; what it derives would end with the effect in which it is made.
    if (!isThere) $effect.root(() => bench.runLesson(source, seed));
    else if (bench.draft !== source) bench.edit(source);
  }

  /** Follows the page's run: goes to the moment once it is there, and has a changed program judged. */
  follow(): void {
    const { bench } = this;
    const { run } = bench;
    const visit = this.#visit;
    if (!run?.finished || bench.pending !== null || bench.rerun?.active) return;
    if (visit) {
      if (run.source !== visit.source) return;
      untrack(() => {
        this.#visit = null;
        this.#travel(run, visit.plays);
      });
    } else untrack(() => void this.#tried(run));
  }

  #travel(run: Run, plays: boolean): void {
    const { index, page } = this;
    const to = this.#restOf(index, run);
    const before = this.pages[index - 1];
    const from = before?.program === page.program ? this.#restOf(index - 1, run, true) : -1;
    const most = this.isAsking ? MOST_AWAITED : MOST_PLAYED;
    if (plays && from < to) this.#play(run, from, to, most);
    else run.moveTo(to);
  }

  /** Plays a run from one cursor to another, the last `most` steps of the way. */
  #play(run: Run, from: number, to: number, most: number): void {
    const begun = run.cursor >= from && run.cursor <= to ? run.cursor : from;
    run.moveTo(Math.max(begun, to - most));
    if (run.cursor < to) this.bench.playback.play(run, to);
  }

  /** The cursor at which the run of a page rests; a page that was passed shows the answer of its question, as after skipping it. */
  #restOf(index: number, run: Run, passed = false): number {
    const page = this.pages[index]!;
    const isRevealed = passed || this.#outcomes.get(index)?.revealed === true;
    if (page.kind === 'predict' && isRevealed) return revealedAt(page) ?? run.cursor;
    return this.#openRestOf(index, run);
  }

  /** The cursor at which the run of a page rests while its question, if it has one, is open. */
  #openRestOf(index: number, run: Run): number {
    const page = this.pages[index]!;
    const before = this.pages[index - 1];
    const step = placeOf(page)?.step ?? null;
    if (page.kind === 'step' || (page.kind === 'predict' && !isAskedBefore(page))) return step ?? run.cursor;
    if (before?.program === page.program) {
      const rest = this.#restOf(index - 1, run, true);
      // Where the answer before has brought the run to the moment of this question, the stage would show the answer to this one too.
      return step !== null && rest >= step ? this.#openRestOf(index - 1, run) : rest;
    }
    // A program is read before it runs; a question about it is asked before its backward pass, and before its own moment.
    if (page.kind === 'text') return -1;
    const ahead = (run.timeline.nextBackward(0) ?? run.length) - 1;
    return Math.max(-1, step === null ? ahead : Math.min(ahead, step - 1));
  }

  /** Takes an answer to the question of this page. */
  answer(given: Given): void {
    const { page } = this;
    if (page.kind !== 'predict') return;
    const verdict = this.judge(page, given);
    this.#put({ given, verdict, revealed: verdict.right });
    if (!verdict.right) return;
    this.progress.solve(this.lesson.name, page.block.line);
    this.#watch();
  }

  /** Shows the answer to the question of this page. */
  reveal(): void {
    if (this.page.kind !== 'predict') return;
    this.#put({ given: this.outcome?.given ?? null, verdict: this.outcome?.verdict ?? null, revealed: true });
    this.#watch();
  }

  #put(outcome: Outcome): void {
    this.#outcomes = new Map([...this.#outcomes, [this.index, outcome]]);
    if (this.page.kind === 'predict') this.answers?.keep(this.page.block.line, outcome.given, outcome.revealed);
  }

  /** Plays from where the lesson is to the moment of the answer. */
  #watch(): void {
    const { bench, index, page } = this;
    const { run } = bench;
    if (!run?.finished || run.source !== page.program?.source) {
      this.restore();
      return;
    }
    const to = this.#restOf(index, run);
    bench.playback.pause();
    if (run.cursor >= to) run.moveTo(to);
    else this.#play(run, run.cursor, to, MOST_PLAYED);
  }

  /** Puts the solution of this page's change into the editor, and runs it. */
  solve(): void {
    const { page } = this;
    if (page.kind !== 'change') return;
    this.#read.add(this.index);
    this.bench.edit(page.block.solution);
    this.bench.begin();
  }

  /** Has the server judge a run of a changed program; that the solution reaches the aim was checked with the lesson. */
  async #tried(run: Run): Promise<void> {
    const { page, index, bench } = this;
    const { session } = run.connection;
    if (page.kind !== 'change' || run === this.#judged || run.source === page.program.source) return;
    if (run.source !== bench.draft) return;
    const { source } = run;
    const before = this.attempt;
    if (before?.reached && before.source === source) return;
    if (source === page.block.solution) {
      this.#judged = run;
      this.#attempt(index, { source, judging: false, reached: true, text: page.block.right, problem: null });
      if (!this.#read.has(index)) this.progress.solve(this.lesson.name, page.block.line);
      return;
    }
    if (!session) return;
    this.#judged = run;
    this.#attempt(index, { source, judging: true, reached: false, text: null, problem: null });
    const judged = await fetchVerdict(this.lesson.name, page.block.line, session).catch((error: unknown) => ({
      reached: false,
      text: null,
      problem: reasonOf(error),
    }));
    if (run !== this.#judged) return;
    this.#attempt(index, { source, judging: false, ...judged });
    if (judged.reached) this.progress.solve(this.lesson.name, page.block.line);
  }

  #attempt(index: number, attempt: Attempt): void {
    this.#attempts = new Map([...this.#attempts, [index, attempt]]);
    const page = this.pages[index];
    if (!attempt.reached || page?.kind !== 'change') return;
    const { source, text } = attempt;
    const reached: Reached = { source, text: text ?? '', read: this.#read.has(index) };
    this.answers?.keep(page.block.line, reached, true);
  }
}
