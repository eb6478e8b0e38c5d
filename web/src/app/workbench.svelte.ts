// What the whole page is about: the program being edited, its last run, and what the reader points at.

import { lineOf, madeBy } from '../inspector/actor';
import { keyOf, type Target } from '../scene/target';
import { type EventSink, RunConnection } from '../transport/connection';
import { type Example, fetchExamples, fetchOps, fetchTrace, type OpEntry } from './api';
import { remember, wasRun } from './consent';
import { type LinkedMoment, readLink, writeLink } from './link';
import { Playback } from './playback.svelte';
import { Run } from './run.svelte';
import { parseTarget } from './target';
import { readTrace, writeTrace } from './trace';

/** Something to tell the reader that is not part of a run: what happened and, in the text, what to do. */
export type Notice = { tone: 'error' | 'plain'; text: string };

/** What keys and buttons do to the view of the stage. */
export type StageView = { zoom(factor: number): void; fit(): void };

/** The page's one model. */
export class Workbench {
  examples = $state.raw<Example[]>([]);
  ops = $state.raw<OpEntry[]>([]);
  example = $state<string | null>(null);
  draft = $state('');
  run = $state.raw<Run | null>(null);
  /** A run that was asked for and has not said anything yet; the last run stays in sight until it does. */
  pending = $state.raw<Run | null>(null);
  selection = $state.raw<Target | null>(null);
  hover = $state.raw<Target | null>(null);
  notice = $state.raw<Notice | null>(null);
  readonly playback = new Playback();
  /** The stage's view, while there is one. */
  view: StageView | null = null;
  #connection: RunConnection | null = null;
  /** A program that came by a link and waits to be read, with the moment that the link leads to. */
  #linked: { source: string; at: number | null; selection: Target | null } | null = null;

  /** Identifies the program of the last run, for the history of the browser. */
  readonly program = $derived(this.run ? (this.example ?? this.run.source) : null);
  readonly running = $derived(this.pending !== null || this.run?.status === 'running');
  readonly stale = $derived(this.run !== null && this.draft !== this.run.source);
  readonly title = $derived(this.examples.find((example) => example.name === this.example)?.title ?? null);
  /** The backward pass that the next moment begins, if it does. */
  readonly backwardAhead = $derived(this.run?.next?.kind === 'backward_started' ? this.run.next : null);

  /** Opens a session that the server has, else what the address names, else the first example; and runs it. */
  async start(fragment: string, session: string | null): Promise<void> {
    fetchOps().then(
      (ops) => {
        this.ops = ops;
      },
      // Without the catalogue everything but the formulas is still shown.
      () => {},
    );
    try {
      this.examples = await fetchExamples();
    } catch (error) {
      this.#tell(error);
    }
    if (session) this.follow(session);
    else await this.open(fragment);
  }

  /** Opens what a fragment names; without a program in it, the first example. */
  async open(fragment: string): Promise<void> {
    let link: LinkedMoment = { program: null, at: null, selection: null };
    let problem: unknown = null;
    try {
      link = await readLink(fragment);
    } catch (error) {
      problem = error;
    }
    const program = link.program;
    if (program && 'source' in program) {
      this.#load(program.source, null);
    } else {
      const named = this.examples.find((example) => example.name === program?.example);
      const example = named ?? this.examples[0];
      if (!example) return;
      if (program && !named) problem = `There is no example “${program.example}”. Showing the first one.`;
      this.#load(example.source, example.name);
    }
    const selection = link.selection ? parseTarget(link.selection) : null;
    if (program && 'source' in program && !(await wasRun(program.source))) {
      this.#linked = { source: program.source, at: link.at, selection };
      this.notice = { tone: 'plain', text: 'This link brings a program. Read it, then press Run.' };
      return;
    }
    this.begin(link.at, selection);
    if (problem !== null) this.#tell(problem);
  }

  /** Puts an example into the editor and runs it. */
  openExample(example: Example): void {
    this.#load(example.source, example.name);
    this.begin();
  }

  #load(source: string, example: string | null): void {
    this.draft = source;
    this.example = example;
  }

  /** Takes a change of the program's text. */
  edit(source: string): void {
    this.draft = source;
    const original = this.examples.find((example) => example.name === this.example);
    if (original && original.source !== source) this.example = null;
  }

  /** Runs the program; goes to `at`, or to right before the first backward pass. */
  begin(at: number | null = null, selection: Target | null = null): void {
    const linked = this.#linked;
    this.#linked = null;
    if (linked?.source === this.draft) {
      at ??= linked.at;
      selection ??= linked.selection;
    }
    void remember(this.draft);
    const next = new Run(this.draft, at);
    this.notice = null;
    this.#await(next, selection, (sink) => RunConnection.run({ source: next.source }, sink));
  }

  /** Shows a run as soon as it has events; where it never gets any, says why and keeps the run before. */
  #await(next: Run, selection: Target | null, connect: (sink: EventSink) => RunConnection): void {
    this.playback.pause();
    this.#connection?.close();
    this.pending = next;
    this.#connection = connect({
      events: (batch) => {
        next.append(batch);
        if (this.pending === next) this.#show(next, selection);
      },
      status: (status) => {
        next.connection = status;
        if (this.pending !== next || status.state !== 'ended') return;
        if (this.run)
          this.notice = { tone: 'error', text: `${status.reason ?? ''} The last run is still shown.`.trim() };
        else this.#show(next, null);
        this.pending = null;
      },
    });
  }

  #show(run: Run, selection: Target | null): void {
    const first = run.log.events[0];
    if (first?.kind === 'program_started' && first.source !== run.source) {
      run.source = first.source;
      this.#load(first.source, null);
    }
    this.pending = null;
    this.selection = selection;
    this.hover = null;
    this.run = run;
  }

  /** Ends the run that is under way. */
  stop(): void {
    const run = this.pending ?? this.run;
    if (!run) return;
    run.stopping = true;
    if (run.connection.state === 'live') {
      this.#connection?.stop();
      return;
    }
    this.#connection?.close();
    this.pending = null;
    run.connection = { state: 'ended', reason: 'The run was left while the server could not be reached.' };
  }

  /** Follows a session that the server already has, such as a trace given on the command line. */
  follow(session: string): void {
    this.#await(new Run(''), null, (sink) => RunConnection.follow(session, sink));
  }

  /** Shows a trace file without a server. */
  async openTrace(file: File): Promise<void> {
    this.notice = null;
    try {
      const events = await readTrace(file);
      const run = new Run('');
      run.connection = { state: 'ended' };
      run.append(events);
      this.playback.pause();
      this.#connection?.close();
      this.#show(run, null);
    } catch (error) {
      this.notice = { tone: 'error', text: `${file.name}: ${error instanceof Error ? error.message : String(error)}` };
    }
  }

  /** The run as a trace file: the server's own bytes while it has them, else written here. */
  async trace(): Promise<Blob | null> {
    const run = this.run;
    if (!run || run.log.events.length === 0) return null;
    const session = run.finished ? run.connection.session : undefined;
    if (session) {
      try {
        return await fetchTrace(session);
      } catch {
        // The server may have forgotten the session; the page has every event.
      }
    }
    return writeTrace(run.log.events);
  }

  /** The fragment that brings back this program, cursor and selection. */
  link(): Promise<string> {
    return writeLink({
      program: this.example ? { example: this.example } : { source: this.draft },
      at: this.run && this.run.length > 0 ? this.run.cursor : null,
      selection: this.selection ? keyOf(this.selection) : null,
    });
  }

  select(target: Target | null): void {
    this.selection = target;
  }

  /** Selects what a line of the program made last, up to the cursor; an edited program has no such lines. */
  selectLine(line: number): void {
    const run = this.run;
    if (!run || this.stale) return;
    const made = madeBy(run.mentions.ofLine(line, run.seq));
    if (made) this.selection = made;
  }

  /** The lines that what is selected comes from. */
  readonly selectedLines = $derived.by((): number[] => {
    const line = this.run && this.selection ? lineOf(this.run.mentions, this.selection) : null;
    return line === null ? [] : [line];
  });

  /** Steps by moments, which ends playing. */
  step(by: number): void {
    this.playback.pause();
    this.run?.step(by);
  }

  /** Jumps to a moment, which ends playing. */
  moveTo(cursor: number): void {
    this.playback.pause();
    this.run?.moveTo(cursor);
  }

  /** Jumps to the moment that an event belongs to. */
  moveToSeq(seq: number): void {
    if (this.run) this.moveTo(this.run.timeline.momentOfSeq(seq));
  }

  togglePlaying(): void {
    if (this.playback.playing) this.playback.pause();
    else if (this.run) this.playback.play(this.run);
  }

  /** Plays to the end of the backward pass that is under way, else of the next one. */
  playBackward(): void {
    const run = this.run;
    if (!run) return;
    const { timeline, cursor } = run;
    const under = run.state.call;
    const start = under?.running ? timeline.momentOfSeq(under.event.seq) : timeline.nextBackward(cursor + 1);
    if (start === null) return;
    const call = timeline.moments[start]?.call;
    const end = timeline.moments.findIndex(
      (moment, index) => index > start && moment.kind === 'backward_finished' && moment.call === call,
    );
    this.playback.play(run, end < 0 ? null : end);
  }

  /** Jumps to right before the next or the previous backward pass. */
  jumpBackward(direction: 1 | -1): void {
    const start = this.backwardFrom(direction);
    if (start !== null) this.moveTo(start - 1);
  }

  /** The moment that begins the next or the previous backward pass; null where there is none. */
  backwardFrom(direction: 1 | -1): number | null {
    const run = this.run;
    if (!run) return null;
    run.revision;
    // The place of a pass is the moment before it, so that one can watch it begin.
    const { timeline, cursor } = run;
    return direction === 1 ? timeline.nextBackward(cursor + 2) : timeline.previousBackward(cursor + 1);
  }

  #tell(error: unknown): void {
    this.notice = { tone: 'error', text: error instanceof Error ? error.message : String(error) };
  }
}
