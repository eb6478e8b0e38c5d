// Puts into the workbench what an address names: a session, an example, a program or a recording, and a moment of it.

import * as say from '../../messages/page/app';
import type { Event } from '../../protocol/events';
import { ServerError } from '../../run/api';
import { Run } from '../../run/run.svelte';
import { readInquiry } from '../../run/subject';
import { readFolds } from '../../scene/fold/folds';
import type { Target } from '../../scene/target';
import { panels } from '../../widgets/panels.svelte';
import { consentText, wasRun } from '../consent';
import { keptDraft } from '../kept-draft';
import { problemNotice } from '../notice';
import type { Workbench } from '../workbench.svelte';
import { openRooms, readView } from './arrangement';
import { type LinkedMoment, NO_MOMENT, readLesson, readLink } from './link';
import { readLinkedProgram } from './linked-program';
import { linkCopy } from './share.svelte';
import { parseTarget } from './target-text';

export class AddressOpening {
  /** How many programs that addresses name are on their way. */
  #awaited = $state(0);
  /** Whether the examples are awaited: `start` opens what the address names by then. */
  #starting = false;
  /** A program that came by a link and waits to be read, with the moment that the link leads to. */
  #unread: { source: string; at: number | null; selection: Target | null } | null = null;

  constructor(private readonly bench: Workbench) {}

  /** The program that the address names is not there yet, so that there is nothing to run. */
  get busy(): boolean {
    return this.#awaited > 0;
  }

  /**
   * Opens a session that the server has, else what the address names, else the first example; and runs it. `fragment` gives
   * that of the address, which may change until the examples are there.
   */
  async start(fragment: () => string, session: string | null): Promise<void> {
    const { bench } = this;
    this.#starting = true;
    this.#awaited += 1;
    bench.catalogue.fetchOps();
    try {
      await bench.catalogue.fetchExamples();
    } catch (error) {
      bench.locked = error instanceof ServerError && error.status === 401;
      if (bench.locked) return;
      bench.notice = problemNotice(error);
    } finally {
      this.#starting = false;
      this.#awaited -= 1;
    }
    // With a run in it, the fragment is the later of the two.
    const named = fragment();
    if (session && !new URLSearchParams(named.replace(/^#/, '')).has('run')) bench.follow(session);
    else await bench.open(named);
  }

  /** Opens what a fragment names; without a program in it, the first example. */
  async open(fragment: string): Promise<void> {
    const { bench } = this;
    if (!bench.served) return this.#revisit(fragment);
    if (this.#starting) return;
    bench.lesson = readLesson(fragment);
    if (bench.lesson) return;
    this.#awaited += 1;
    const run = await this.#read(fragment).finally(() => {
      this.#awaited -= 1;
    });
    run?.();
  }

  /** Shows a recording that came with the page, at the moment that a fragment names; gives that one's place. */
  async showRecording(events: Event[], fragment: string): Promise<number | null> {
    const { bench } = this;
    const link = await readLink(fragment).catch(() => NO_MOMENT);
    this.#arrange(link);
    bench.notes.load(link.notes);
    bench.viewed = null;
    bench.brought = readView(link.view);
    const run = Run.recorded(link.at);
    run.take(events);
    run.settle();
    bench.leave();
    bench.show(run, link.selection ? parseTarget(link.selection) : null);
    return link.at;
  }

  /** Keeps the moment that a program is to be shown at once the reader runs it. */
  keep(source: string, at: number | null, selection: Target | null): void {
    this.#unread = { source, at, selection };
  }

  /** Gives the moment that was kept for a program, once, and null for another one. */
  takeKept(source: string): { at: number | null; selection: Target | null } | null {
    const kept = this.#unread;
    this.#unread = null;
    return kept?.source === source ? kept : null;
  }

  /** Puts the program that a fragment names into the editor; gives what runs it, where it is not to be read first. */
  async #read(fragment: string): Promise<(() => void) | null> {
    const { bench } = this;
    const opened = await readLinkedProgram(fragment, bench.catalogue);
    if (!opened) return null;
    const { link, problem } = opened;
    bench.load(opened.source, opened.example);
    const selection = link.selection ? parseTarget(link.selection) : null;
    bench.debugger.load(opened.breakpoints, link.watches, link.prints);
    if (link.prints.length > 0 && !panels.tabbed) panels.fold('debugger', false);
    bench.why.wanted = readInquiry(link.why);
    this.#arrange(link);
    bench.notes.load(link.notes);
    bench.viewed = link.run && problem === null ? null : bench.draft;
    bench.brought = readView(link.view);
    if (link.run && problem === null) {
      const draft = keptDraft(link.run);
      if (draft !== null) bench.load(draft, null);
      bench.follow(link.run, { at: link.at, selection, keepsDraft: draft !== null || link.program !== null });
      if (link.shared) void linkCopy().then(({ welcome }) => welcome(bench, link.run!));
      return null;
    }
    const own = opened.example === null;
    const { expressions } = bench.debugger;
    if ((own || expressions.length > 0) && !(await wasRun(consentText(bench.draft, expressions)))) {
      this.keep(bench.draft, link.at, selection);
      bench.notice = { tone: 'plain', text: say.linkWaitsForRun(own ? say.aProgramReadIt : say.linkedExpressions) };
      return null;
    }
    return () => {
      bench.begin(link.at, selection);
      if (problem !== null) bench.notice = problemNotice(problem);
    };
  }

  /** Folds, looks for and opens what a link names. */
  #arrange({ folds, find, show, rooms }: LinkedMoment): void {
    this.bench.folds = readFolds(folds);
    this.bench.find.load(find, show);
    openRooms(rooms);
  }

  /** Goes to the moment that a fragment names, of the run that is shown or of the one that is about to be. */
  async #revisit(fragment: string): Promise<void> {
    const { bench } = this;
    const link = await readLink(fragment).catch(() => NO_MOMENT);
    this.#arrange(link);
    bench.notes.load(link.notes, bench.pending === null);
    const look = readView(link.view);
    bench.playback.pause();
    if (link.at !== null) (bench.pending ?? bench.run)?.seek(link.at);
    if (look) bench.view?.look(look);
    const selection = link.selection ? parseTarget(link.selection) : null;
    if (bench.pending) bench.session.selecting = selection;
    else bench.select(selection);
  }
}
