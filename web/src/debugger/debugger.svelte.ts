// The debugger of the page: breakpoints, the stop of the program, stepping, and looking into the paused program.

import * as say from '../messages/breakpoints';
import type { Answer, Event, Look, Paused, Refused, Step, TracebackLine, Variable } from '../protocol/events';
import { fileName, fileOf, inFile } from '../protocol/file-lines';
import type { Run } from '../run/run.svelte';
import type { Target } from '../scene/target';
import type { EventLog } from '../store/log';
import type { Ask } from '../transport/connection';
import { Breakpoints } from './breakpoints.svelte';

/** Where a step goes to that needs no event to be named. */
export type StepTo = Exclude<Step['to'], 'seq'>;

/** What the debugger needs of the page. */
export type Debugged = {
  readonly run: {
    readonly paused: Paused | null;
    readonly finished: boolean;
    readonly seq: number;
    readonly log: Pick<EventLog, 'length' | 'of'>;
    follow(): void;
  } | null;
  /** Whether that run is under way. */
  readonly live: boolean;
  /** Whether it has been for long enough to be worth a word. */
  readonly patient: boolean;
  ask(command: Ask): Promise<Answer>;
  begin(at?: number | null, selection?: null, options?: { pause?: boolean }): void;
};

/** What the debugger's panels need of the page. */
export type DebuggerPage = {
  readonly debugger: Debugger;
  readonly run: Run | null;
  readonly live: boolean;
  /** The editor's text is another one than that which runs. */
  readonly stale: boolean;
  readonly draft: string;
  readonly selection: Target | null;
  readonly asked: { about: string; tensor?: number; element?: readonly number[] } | null;
  notice: { tone: 'error' | 'plain'; text: string } | null;
  moveTo(cursor: number): void;
  select(target: Target | null): void;
};

/** An expression that is asked for at each stop; `seen` is what it was at the last one. */
export type Watch = { expression: string; seen: Seen | null };
export type Seen = { look: Look; output: string } | { refused: string };
/** The variables of a frame. */
export type Locals = { frame: number; variables: readonly Variable[]; omitted: number } | { refused: string };

export const MOST_WATCHES = 50;
/** Keys that are pressed faster than the program steps wait for it. */
const MOST_WAITING = 8;
const BLINK_MS = 250;
/** The kinds of which some events are not the program's own: of its stops, and of what ended it. */
const BESIDE = ['paused', 'resumed', 'error_raised', 'program_finished'] as const;
/** How the server says that it ended a program before its end: in an error, then with the last event. */
const ENDED: ReadonlySet<string | undefined> = new Set(['limit', 'stopped', 'cut']);

function isBeside(event: Extract<Event, { kind: (typeof BESIDE)[number] }>): boolean {
  if (event.kind === 'error_raised') return ENDED.has(event.stage);
  return event.kind !== 'program_finished' || ENDED.has(event.status);
}

export class Debugger {
  readonly breakpoints = new Breakpoints(() => this.#send());
  watches = $state.raw<readonly Watch[]>([]);
  /** The prints that are added to a run that is over, as a link has them: `LINE:EXPRESSION`, or `FILE:LINE:EXPRESSION`. */
  prints = $state.raw<readonly string[]>([]);
  locals = $state.raw<Locals | null>(null);
  /** The frame that is looked into, 0 for the innermost. */
  frame = $state(0);
  /** Why the last command was not carried out. */
  refusal = $state<string | null>(null);
  /** A command to go on or to pause is under way. */
  asked = $state(false);
  /** Counts the looks into the program, so that answers to an older one are dropped. */
  #look = 0;
  #sending = false;
  #unsent = false;
  #held = $state.raw<Paused | null>(null);
  #letGo: ReturnType<typeof setTimeout> | undefined;
  /** The stop that the last command went on from. */
  #left: Paused | null = null;
  /** What was asked for while the program was on its way to a stop. */
  #waiting: Ask[] = [];

  constructor(private readonly page: Debugged) {}

  /** Where the program is; null while it runs or when there is none. */
  readonly stop = $derived.by((): Paused | null => (this.page.live ? (this.page.run?.paused ?? null) : null));
  /** The stop that is shown: it stays for a moment after the program goes on, as most steps end within that. */
  readonly shownStop = $derived.by(() => (this.page.live ? (this.stop ?? this.#held) : null));
  /** A run that is paused, or goes on for a while, has its buttons. */
  readonly shown = $derived.by(() => this.shownStop !== null || (this.page.live && this.page.patient));
  /** The frames of the program, innermost first. */
  readonly frames = $derived<readonly TracebackLine[]>(this.shownStop?.stack.toReversed() ?? []);

  /** Stops the running program where it is. */
  pause(): Promise<void> {
    return this.#go({ command: 'pause' });
  }

  /** Goes on to the next breakpoint. */
  resume(): Promise<void> {
    return this.#go({ command: 'resume' });
  }

  /** Pauses a program that runs, and lets one go on that is paused. */
  toggle(): void {
    if (this.shownStop) void this.resume();
    else if (this.page.live) void this.pause();
  }

  /** Goes on and stops again at the next moment, line, node, backward pass, in or out of a function; or never. */
  step(to: StepTo): Promise<void> {
    return this.#go({ command: 'step', to });
  }

  async #go(command: Ask): Promise<void> {
    if (!this.page.live || (this.shownStop === null) !== (command.command === 'pause')) return;
    if (this.asked || (this.shownStop && !this.#isStill())) {
      if (this.shownStop && this.#waiting.length < MOST_WAITING) this.#waiting.push(command);
      return;
    }
    this.asked = true;
    this.refusal = null;
    this.#left = this.stop;
    const answer = await this.page.ask(command);
    this.asked = false;
    if (answer.answer === 'refused') {
      this.refusal = answer.reason;
      this.#left = null;
    } else this.page.run?.follow();
    this.#letGo ??= setTimeout(() => {
      this.#letGo = undefined;
      if (this.stop) return;
      this.#held = null;
      this.#waiting = [];
    }, BLINK_MS);
    this.#goOn();
  }

  /** Does what waits for the program to pause. */
  #goOn(): void {
    const next = this.asked || !this.#isStill() ? undefined : this.#waiting.shift();
    if (next) void this.#go(next);
  }

  /** Whether the program is where the last command did not go on from: the answer comes before the program moves. */
  #isStill(): boolean {
    return this.stop !== null && this.stop !== this.#left;
  }

  /** Runs the program again and stops it once this event of the run has come: programs are deterministic. */
  runTo(seq: number): void {
    const log = this.page.run?.log;
    const beside = [...(log?.of(BESIDE, 0, seq + 1) ?? [])].filter(isBeside).length;
    const count = Math.min(seq + 1, log?.length ?? 0) - beside;
    this.page.begin(null, null, { pause: true });
    // The stop before the first line and going on from it are two events more; the program's start comes before both.
    this.#target = count > 1 ? count - 1 + 2 : null;
  }

  #target: number | null = null;

  /** Runs the program again from its start, with the same seed and breakpoints. */
  restart(): void {
    this.page.begin();
  }

  /** A new run begins. */
  begin() {
    this.refusal = null;
    this.asked = false;
    this.#target = null;
    this.#unsent = false;
    this.#held = null;
    this.#left = null;
    this.#waiting = [];
    this.#forget();
    return this.breakpoints.begin();
  }

  /** The program came to a stop. */
  stopped(stop: Paused): void {
    this.breakpoints.stopped(stop.breakpoints);
    this.frame = 0;
    this.#held = stop;
    clearTimeout(this.#letGo);
    this.#letGo = undefined;
    const target = this.#target;
    this.#target = null;
    if (target !== null && stop.reason === 'pause' && stop.seq < target) {
      void this.#go({ command: 'step', to: 'seq', seq: target });
    }
    if (stop.reason !== 'step') this.#waiting = []; // The program came to something else than was foreseen.
    this.#goOn();
  }

  /** Takes the answer to the breakpoints that came with the program. */
  opened(answer: Answer): void {
    if (answer.answer === 'breakpoints_set') this.breakpoints.placed(answer);
    else if (answer.answer === 'refused') this.refusal = answer.reason;
  }

  /** Sends the breakpoints to the running program; what changes meanwhile is sent right after. */
  async #send(): Promise<void> {
    this.#unsent = true;
    if (this.#sending) return;
    this.#sending = true;
    while (this.#unsent && this.page.live) {
      this.#unsent = false;
      const { removed } = this.breakpoints;
      const breakpoints = this.breakpoints.sent();
      const answer = await this.page.ask({ command: 'set_breakpoints', breakpoints, removed });
      if (!this.#unsent && this.page.live) this.opened(answer);
    }
    this.#sending = false;
  }

  /** Takes over a program that the server already has: sends it what was changed before it answered. */
  arrive(): void {
    if (this.#unsent) void this.#send();
  }

  /** The page has found a program again, which may not know the breakpoints. */
  adopt(): void {
    if (this.breakpoints.all.length > 0) void this.#send();
  }

  /** Sets or removes the breakpoint on a line of the page's numbers; `edited` where the text is not the one that runs. */
  toggleLine(line: number, edited: boolean): void {
    const file = fileName(fileOf(line));
    if (file && !this.page.live) return; // The page runs the main file alone.
    this.breakpoints.toggle({ on: 'line', line: inFile(line), ...(file ? { file } : {}) }, { edited });
  }

  /** Looks into another frame. */
  choose(frame: number): void {
    this.frame = frame;
    void this.look();
  }

  #forget(): void {
    this.#look += 1;
    this.locals = null;
    this.frame = 0;
  }

  /** Asks for the variables of the frame and for what is watched; while the program runs, nothing can be seen. */
  async look(): Promise<void> {
    this.#look += 1;
    const look = this.#look;
    const { frame } = this;
    if (!this.stop) return;
    const answer = await this.page.ask({ command: 'list_locals', frame });
    if (look !== this.#look) return;
    if (answer.answer === 'locals_listed') {
      this.locals = { frame, variables: answer.variables, omitted: answer.omitted };
    } else this.locals = { refused: reasonOf(answer) };
    // One after the other: only so many commands may wait for their answers.
    for (const { expression } of this.watches) {
      const seen = await this.evaluate(expression);
      if (look !== this.#look) return;
      this.watches = this.watches.map((one) => (one.expression === expression ? { expression, seen } : one));
    }
  }

  /** The value of an expression in the frame that is looked into. */
  async evaluate(expression: string): Promise<Seen> {
    const answer = await this.page.ask({ command: 'evaluate', expression, frame: this.frame });
    if (answer.answer === 'evaluated') return { look: answer.look, output: answer.output };
    return { refused: reasonOf(answer) };
  }

  /** Changes something in the paused program; the reason where that is refused, null where it is done. */
  async assign(target: string, expression: string): Promise<string | null> {
    const answer = await this.page.ask({ command: 'assign', target, expression, frame: this.frame });
    if (answer.answer !== 'done') return reasonOf(answer);
    this.page.run?.follow();
    await this.look();
    return null;
  }

  watch(expression: string): void {
    const wanted = expression.trim();
    if (!wanted || this.watches.length >= MOST_WATCHES) return;
    if (this.watches.some((one) => one.expression === wanted)) return;
    this.watches = [...this.watches, { expression: wanted, seen: null }];
    void this.look();
  }

  unwatch(expression: string): void {
    this.watches = this.watches.filter((one) => one.expression !== expression);
  }

  /** Takes what a link brings. */
  load(breakpoints: Parameters<Breakpoints['load']>[0], watches: readonly string[], prints: readonly string[]): void {
    this.breakpoints.load(breakpoints);
    this.prints = prints;
    this.watches = [...new Set(watches)].slice(0, MOST_WATCHES).map((expression) => ({ expression, seen: null }));
  }

  /** What is evaluated in the program without being a part of it. */
  readonly expressions = $derived([
    ...this.breakpoints.all.map(({ condition }) => condition).filter(Boolean),
    ...this.watches.map(({ expression }) => expression),
  ]);
}

function reasonOf(answer: Answer): string {
  return (answer as Partial<Refused>).reason ?? say.programSilent;
}
