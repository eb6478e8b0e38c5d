// The page's one model: the program being edited, its last run, and the selection.

import { Compare } from '../compare/compare.svelte';
import { Debugger } from '../debugger/debugger.svelte';
import { Finder } from '../find/finder.svelte';
import type { Rect } from '../layout/rect';
import type { Noticing } from '../noticed/noticing.svelte';
import type { Provenance } from '../origins/provenance';
import type { Answer } from '../protocol/events';
import type { Example } from '../run/api';
import { Playback } from '../run/playback.svelte';
import type { Run } from '../run/run.svelte';
import { type Folds, isFoldable, NO_FOLDS } from '../scene/fold/folds';
import type { Target } from '../scene/target';
import type { Ask } from '../transport/connection';
import { Why } from '../why/why.svelte';
import { panels } from '../widgets/panels.svelte';
import { Asking } from './asking.svelte';
import { Catalogue } from './catalogue.svelte';
import { CodeView } from './code-view.svelte';
import { consentText, remember } from './consent';
import { AddressOpening } from './link/address-opening.svelte';
import { isLecture, type LessonPlace, NO_MOMENT, readLink } from './link/link';
import { linkTo } from './link/moment-link';
import { parseTarget } from './link/target-text';
import { MomentNotes } from './moment-notes.svelte';
import { goneNotice, type Notice } from './notice';
import type { Rerun } from './rerun.svelte';
import { type Moment, Session } from './session.svelte';
import { StageTrace } from './stage-trace';
import type { StageView } from './stage-view';

/** The page's one model. */
export class Workbench {
  example = $state<string | null>(null);
  /** The lesson that is open, and its page. */
  lesson = $state.raw<LessonPlace | null>(null);
  /** Why the lesson that is open is not shown: the server has none of that name, or it did not come. */
  lessonFailure = $state<'absent' | 'failed' | null>(null);
  /** Set while moments are collected into a lesson; `adds` where the shown moment is to be added. Another object each time. */
  collecting = $state.raw<{ adds: boolean } | null>(null);
  /** Goes to the next or the previous page of the lesson; null while none is shown. */
  turnLesson = $state.raw<((by: 1 | -1) => void) | null>(null);
  /** The seed of the random generators of the program. */
  seed = 0;
  draft = $state('');
  /** Another object with each program that is put into the editor; it stays while that one is edited. */
  loaded = $state.raw<object>({});
  run = $state.raw<Run | null>(null);
  selection = $state.raw<Target | null>(null);
  hover = $state.raw<Target | null>(null);
  /** What the reader folded or opened on the stage; it stays while one steps. */
  folds = $state.raw<Folds>(NO_FOLDS);
  /** What the reader asked about where something comes from; it is answered until something is selected. */
  asked = $state.raw<Provenance | null>(null);
  notice = $state.raw<Notice | null>(null);
  /** The server asks for its token, and this browser does not have it. */
  locked = $state(false);
  readonly catalogue = new Catalogue();
  readonly playback = new Playback();
  readonly session = new Session(this);
  /** What the address names, on its way into the editor. */
  readonly opening = new AddressOpening(this);
  /** Runs the program while a number in it is changed; null until that was fetched. */
  rerun = $state.raw<Rerun | null>(null);
  readonly debugger = new Debugger(this);
  readonly why = new Why();
  readonly find: Finder = new Finder(this);
  readonly compare = new Compare();
  readonly notes = new MomentNotes();
  readonly code = new CodeView(this);
  readonly asking = new Asking((target) => this.select(target));
  /** The notes on the run that is shown; null until they are wanted. */
  noticing = $state.raw<Noticing | null>(null);
  /** The reader drags the cursor along the timeline. */
  scrubbing = false;
  /** The stage's view, while there is one. */
  view = $state.raw<StageView | null>(null);
  /** The part of the stage that the reader chose to see; null where the stage chooses. */
  looking = $state.raw<Rect | null>(null);
  /** The part that a link leads to, until the stage has taken it. */
  brought: Rect | null = null;
  /** The trace file that is being read, until a run is asked for, which is what the reader wants to see then. */
  readonly trace = new StageTrace(this);
  /** The program that folds and filters speak of; null until the run that a link leads to has brought its own. */
  viewed: string | null = null;

  /** Identifies the program of the last run, for the history of the browser. */
  readonly program = $derived(this.run ? (this.example ?? this.run.source) : null);
  readonly pending = $derived(this.session.pending);
  readonly running = $derived(this.pending !== null || this.run?.status === 'running');
  /** The reader stopped the run that is under way; its end is not here. */
  readonly stopping = $derived(this.running && (this.pending ?? this.run)?.stopping === true);
  /** The run that is shown is under way. */
  readonly live = $derived(this.pending === null && this.run?.status === 'running');
  readonly patient = $derived(this.run?.patient ?? false);
  /** The code was edited since the run, and no run of it is on its way. */
  readonly stale = $derived(this.run !== null && this.draft !== this.run.source && !this.rerun?.active);
  readonly title = $derived(this.catalogue.example(this.example)?.title ?? null);
  /** The backward pass that the next moment begins, if it does. */
  readonly backwardAhead = $derived(this.run?.next?.kind === 'backward_started' ? this.run.next : null);

  /** `served`: programs are written and run here; a saved file and a frame in another page show only what they carry. */
  constructor(readonly served = true) {}

  /** Opens what a fragment of an address names; without a program in it, the first example. */
  open(fragment: string): Promise<void> {
    return this.opening.open(fragment);
  }

  /** Collects the moment that is shown into a lesson of the reader's own. */
  collect(): void {
    this.lesson = null;
    this.collecting = { adds: true };
  }

  /** Whether moments are being collected into a lesson, or a collected lesson is open. */
  get lecturing(): boolean {
    return this.lesson ? isLecture(this.lesson) : this.collecting !== null;
  }

  /** Puts an example into the editor and runs it. */
  openExample(example: Example, at: number | null = null): void {
    this.lesson = null;
    this.debugger.breakpoints.forgetProgram();
    this.load(example.source, example.name);
    this.brought = null;
    this.#enter(at);
  }

  /** Puts a program of a lesson into the editor and runs it; its cursor is at a step, or before the first one. */
  runLesson(source: string, seed: number, at = -1): void {
    this.debugger.breakpoints.forgetProgram();
    this.load(source, null);
    this.seed = seed;
    this.brought = null;
    this.#enter(at);
  }

  /** Puts a program into the editor; `example` is the name of the one that it is, if it is one. */
  load(source: string, example: string | null): void {
    this.compare.leaveProgram();
    this.draft = source;
    this.loaded = {};
    this.example = example;
    this.seed = 0;
    if (example !== null) this.catalogue.opened = example;
  }

  /** Takes a change of the program's text; `move` gives the new number of a line, null where the line is gone. */
  edit(source: string, move: (line: number) => number | null = (line) => line): void {
    this.draft = source;
    this.debugger.breakpoints.edit(move);
    const original = this.catalogue.example(this.example);
    if (original && original.source !== source) this.example = null;
  }

  /** Runs the program; goes to `at`, or to right before the first backward pass; `pause` stops before its first line. */
  begin(at: number | null = null, selection: Target | null = null, { pause = false } = {}): void {
    if (!this.opening.busy) this.#enter(at, selection, { pause });
  }

  #enter(at: number | null, selection: Target | null = null, { pause = false } = {}): void {
    const { run, draft } = this;
    const go = () => this.#begin(at, selection, { pause });
    if (!this.served) return;
    if (!run?.log.files.all.length) go();
    else {
      import('./several-files').then(({ whyNotHere }) => {
        const text = whyNotHere(draft, run.log);
        if (text) this.notice = { tone: 'plain', text, of: draft };
        else go();
      }, go);
    }
  }

  /** Runs the program of a recording at the server that the page came from; goes to the moment that a fragment names. */
  async runLive(fragment: string | null = null): Promise<void> {
    const link = fragment === null ? null : await readLink(fragment).catch(() => NO_MOMENT);
    if (!link) this.#begin(this.run?.cursor ?? null, this.selection);
    else this.#begin(link.at, link.selection ? parseTarget(link.selection) : null);
  }

  #begin(at: number | null, selection: Target | null, { pause = false } = {}): void {
    this.rerun?.cancel();
    const kept = this.opening.takeKept(this.draft);
    at ??= kept?.at ?? null;
    selection ??= kept?.selection ?? null;
    this.rememberProgram();
    this.notice = null;
    this.trace.cancel();
    this.session.run(this.draft, { at, selection, pause });
  }

  /** Notes that the reader ran the program that is in the editor. */
  rememberProgram(): void {
    void remember(consentText(this.draft, this.debugger.expressions));
  }

  /** Says that the server has forgotten a run, and offers to run its program, which is in the editor, again. */
  lose(at: number | null, selection: Target | null): void {
    this.run = null;
    this.notice = goneNotice(this.draft === '' ? null : () => this.begin());
    if (this.draft !== '') this.opening.keep(this.draft, at, selection);
  }

  /** Shows a run, with a selection; `keepsDraft` leaves its program out of the editor. */
  show(run: Run, selection: Target | null, keepsDraft = false): void {
    const first = run.log.at(0);
    const source = first?.kind === 'program_started' ? (first.source ?? '') : run.source;
    if (source !== run.source) {
      run.source = source;
      if (!keepsDraft) this.load(source, null);
    }
    // Calls and loops of another program are other ones, though they have the same numbers.
    if (this.viewed !== null && this.viewed !== run.source) {
      this.folds = NO_FOLDS;
      this.find.leaveProgram();
    }
    this.session.pending = null;
    this.#put(run, this.run, selection);
  }

  /** Shows a run of a program in which a number was changed since `origin`, with a selection; what is folded and found stays. */
  replace(run: Run, origin: Run | null, selection: Target | null): void {
    this.#put(run, origin, selection, true);
  }

  #put(run: Run, before: Run | null, selection: Target | null, isEdit = false): void {
    this.viewed = run.source;
    this.selection = selection;
    this.asked = null;
    this.hover = null;
    this.why.putAway();
    this.compare.succeed(before, run, isEdit);
    // They hold their run in memory.
    this.noticing?.stop();
    this.noticing = null;
    this.notes.turnTo(run.source, isEdit);
    this.run = run;
  }

  /** Ends the run that is under way. */
  stop(): void {
    const run = this.pending ?? this.run;
    if (run) this.session.stop(run);
  }

  /** Asks the debugger of the run. */
  ask(command: Ask): Promise<Answer> {
    return this.session.ask(command);
  }

  /** Follows a session that the server already has; see Session. */
  follow(session: string, moment: Moment = {}): void {
    this.notice = null;
    this.trace.cancel();
    this.session.follow(session, moment);
  }

  /** Listens no longer to the run that is shown or asked for. */
  leave(): void {
    this.rerun?.cancel();
    this.playback.pause();
    this.session.leave();
  }

  /** Shows a program that has not run. */
  showProgram(source: string): void {
    this.leave();
    this.session.pending = null;
    this.run = null;
    this.select(null);
    this.load(source, null);
  }

  /** The fragment that brings back this place; see linkTo. */
  link(options: { run?: boolean } = {}): Promise<string> {
    return linkTo(this, options);
  }

  /** What is selected on the stage is a module or a loop. */
  get canFold(): boolean {
    return isFoldable(this.selection) && this.view !== null;
  }

  /** Folds what is selected on the stage, or opens it; false where that is neither a module nor a loop. */
  toggleFold(): boolean {
    if (!this.canFold) return false;
    this.view?.toggle(this.selection!);
    return true;
  }

  select(target: Target | null): void {
    this.selection = target;
    this.asked = null;
  }

  /** Brings the questions about what is selected into view, and the keyboard to them. */
  summonQuestions(): void {
    panels.fold('inspector', false);
    this.why.summoned += 1;
  }

  /** Shows who holds the memory at the cursor, in the inspector, which is opened for it. */
  askHolders(): void {
    this.asked = { about: 'memory', storage: null };
    panels.fold('inspector', false);
  }

  /** Steps by units, which ends playing. */
  step(by: 1 | -1): void {
    this.playback.pause();
    this.run?.stepUnit(this.playback.unit, by);
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
    const end = this.run?.passEnd;
    if (this.run && end !== undefined) this.playback.play(this.run, end);
  }

  /** Jumps to right before the next or the previous backward pass. */
  jumpBackward(direction: 1 | -1): void {
    const start = this.run?.backwardFrom(direction) ?? null;
    if (start !== null) this.moveTo(start - 1);
  }
}
