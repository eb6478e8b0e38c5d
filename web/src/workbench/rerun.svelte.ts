// Runs of the program while a number in it is being changed: each takes the place of the one that is shown when it is over.

import type { Run } from '../run/run.svelte';
import { sameMoment } from '../run/same-moment';
import { isSameThing } from '../run/same-thing';
import { type EventSink, type RunConnection, removeSession } from '../transport/connection';
import type { Workbench } from './workbench.svelte';

/** From the start of one run to that of the next, in milliseconds. */
const LEAST_MS = 100;
/** A run that takes longer than this is left for a newer text, or shown as it goes on, in milliseconds. */
const PATIENCE_MS = 1000;
/** What is asked about a run is answered within this after another one took its place, in milliseconds. */
const FORGET_MS = 5000;
/** Parts of the time that showing a run takes which the page has for itself afterwards. */
const REST = 2;

/** One run at a time; of several texts that wait, the last one is run. */
export class Rerun {
  /** A number is being changed, or the run of its last value is under way. */
  active = $state(false);
  /** More changes may come. */
  #held = false;
  /** The run and the moment that were shown before the first change. */
  #origin: { run: Run; cursor: number } | null = null;
  /** Where the reader was taken last; elsewhere, the reader went there. */
  #shown: { run: Run; cursor: number } | null = null;
  #under: { run: Run; connection: RunConnection; begun: number } | null = null;
  #notBefore = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The server refused a run for another reason than that there were too many. */
  #failed = false;

  constructor(readonly bench: Workbench) {}

  /** Begins a change of a number: stops the run and keeps the moment that is shown. */
  began(): void {
    const { bench } = this;
    if (!bench.served || (bench.locked && !bench.run) || bench.run?.log.files.all.length) return;
    this.#held = true;
    if (this.active) return;
    if (bench.running) bench.stop();
    bench.playback.pause();
    this.active = true;
    this.#failed = false;
    this.#origin = bench.run && { run: bench.run, cursor: bench.run.cursor };
    this.#shown = null;
  }

  /** Runs the changed text as soon as it may. */
  changed(): void {
    const under = this.#under;
    if (under && performance.now() - under.begun > PATIENCE_MS) this.#drop();
    this.#advance();
  }

  /** Ends the changes: a run that takes long is from now on shown as any other. */
  ended(): void {
    if (!this.active) return;
    this.#held = false;
    this.#advance();
  }

  /** Ends it without another run; the reader runs the program, or another one. */
  cancel(): void {
    clearTimeout(this.#timer);
    this.#drop();
    this.active = false;
    this.#held = false;
    this.#origin = null;
    this.#shown = null;
  }

  /** Ends the run that is under way, which has not been shown. */
  #drop(): void {
    const under = this.#under;
    this.#under = null;
    if (under && this.#isExample(under.run)) under.connection.close();
    else under?.connection.discard();
  }

  /** The server keeps one session of an example for all who run it. */
  #isExample({ source }: Run): boolean {
    return this.bench.catalogue.examples.some((example) => example.source === source);
  }

  #advance(): void {
    if (!this.active) return;
    clearTimeout(this.#timer);
    const now = performance.now();
    if (this.#under) {
      // A program that takes long is shown as any other: how far it is, and that it can be stopped.
      const left = this.#under.begun + PATIENCE_MS - now;
      if (!this.#held) this.#timer = setTimeout(() => this.#hand(), Math.max(0, left));
      return;
    }
    const { bench } = this;
    if (bench.draft === bench.run?.source) {
      if (!this.#held) this.#finish();
      return;
    }
    if (this.#failed) {
      if (!this.#held) this.#hand();
      return;
    }
    // The run that was under way before the first change has been stopped, and is about to end.
    if (bench.running) this.#timer = setTimeout(() => this.#advance(), LEAST_MS);
    else if (now < this.#notBefore) this.#timer = setTimeout(() => this.#advance(), this.#notBefore - now);
    else this.#start();
  }

  #start(): void {
    const begun = performance.now();
    this.#notBefore = begun + LEAST_MS;
    const run = this.bench.session.newRun(this.bench.draft);
    const isCurrent = () => this.#under?.run === run;
    const sink: EventSink = {
      events: (batch, nbytes) => {
        run.nbytes += nbytes;
        run.append(batch);
        if (isCurrent() && run.finished) void this.#show(run);
      },
      notices: (now) => {
        const refused = isCurrent() ? now.find(({ kind }) => kind === 'refused') : undefined;
        if (refused?.kind !== 'refused') return;
        // Too many programs for now: the next one waits, with the text that there is then.
        this.#drop();
        this.#notBefore = performance.now() + 1000 * refused.seconds_left;
        this.#advance();
      },
      status: (status) => {
        run.connection = status;
        if (!isCurrent() || status.state !== 'ended') return;
        this.#under = null;
        this.#failed = true;
        this.#advance();
      },
    };
    this.#under = { run, begun, connection: this.bench.session.connect(run.source, sink) };
    if (!this.#held) this.#advance();
  }

  /** Shows a run that is over at the moment that was shown, and goes on once it is on the screen. */
  async #show(run: Run): Promise<void> {
    const { bench } = this;
    const begun = performance.now();
    const before = bench.run;
    if (before && (before !== this.#shown?.run || before.cursor !== this.#shown.cursor))
      this.#origin = { run: before, cursor: before.cursor };
    const origin = this.#origin;
    run.moveTo(origin ? sameMoment(origin.run, origin.cursor, run) : run.cursor);
    this.#shown = { run, cursor: run.cursor };
    const isKept = before !== null && isSameThing(bench.selection, before, run);
    bench.replace(run, origin?.run ?? null, isKept ? bench.selection : null);
    this.#under = null;
    if (before && before !== origin?.run && before !== bench.compare.previous) this.#forget(before);
    await bench.session.painted();
    const now = performance.now();
    this.#notBefore = Math.max(this.#notBefore, now + REST * (now - begun));
    this.#advance();
  }

  /** Has the server forget a run that was only on the way to another one. */
  #forget(run: Run): void {
    const { session } = run.connection;
    if (session && !this.#isExample(run)) setTimeout(() => removeSession(session), FORGET_MS);
  }

  /** Runs the program as if the reader had pressed Run, at the moment that was shown. */
  #hand(): void {
    const cursor = this.#origin?.cursor ?? null;
    this.cancel();
    this.bench.begin(cursor);
  }

  #finish(): void {
    const { bench } = this;
    this.cancel();
    bench.rememberProgram();
  }
}
