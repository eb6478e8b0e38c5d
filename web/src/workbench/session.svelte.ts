// The run that the page follows: started, shown from its first event on, stopped, left for another one.

import * as say from '../messages/page/app';
import type { Answer } from '../protocol/events';
import { Intake, painted } from '../run/intake';
import { Run } from '../run/run.svelte';
import type { Target } from '../scene/target';
import { type Ask, type ConnectionStatus, type EventSink, RunConnection } from '../transport/connection';
import type { Workbench } from './workbench.svelte';

const NO_TOKEN = 4401;
/** Too much of one address, and a server that is busy: nothing is wrong, it only has to wait. */
const MEASURED = [4429, 4503];

/** Where a run is to be shown, and whether the editor keeps its text, which may have been edited since the run. */
export type Moment = { at?: number | null; selection?: Target | null; keepsDraft?: boolean };

export class Session {
  /** A run that was asked for and has not said anything yet; the last run stays in sight until it does. */
  pending = $state.raw<Run | null>(null);
  /** What is selected in that run, once it is shown. */
  selecting: Target | null = null;
  #connection: RunConnection | null = null;
  #intake: Intake | null = null;

  constructor(readonly bench: Workbench) {}

  /** Runs a program; `pause` stops before its first line. */
  run(source: string, { pause, at = null, selection = null }: Moment & { pause: boolean }): void {
    const breakpoints = this.bench.debugger.begin();
    const { seed } = this.bench;
    const order = {
      source,
      ...(seed ? { seed } : {}),
      ...(breakpoints.length > 0 ? { breakpoints } : {}),
      ...(pause ? { pause } : {}),
      // Whoever runs again what is shown wants more than a run that the server has already.
      ...(this.bench.run?.source === source ? { fresh: true } : {}),
    };
    if (this.bench.running) this.#connection?.stop();
    this.#await(Run.of(source, at), (sink) => RunConnection.run(order, sink), { selection });
  }

  /**
   * Follows a session that the server already has: a run of this page before it was reloaded, or a trace given on the
   * command line.
   */
  follow(session: string, moment: Moment = {}): void {
    this.#await(Run.of('', moment.at ?? null), (sink) => RunConnection.follow(session, sink), moment);
  }

  /** Shows a run as soon as it has events; where it never gets any, says why and keeps the run before. */
  #await(next: Run, connect: (sink: EventSink) => RunConnection, moment: Moment): void {
    const { bench } = this;
    bench.leave();
    this.pending = next;
    this.selecting = moment.selection ?? null;
    const intake = new Intake({
      take: (batch) => next.fold(batch),
      show: () => {
        const before = next.stops.length;
        next.settle();
        if (this.pending === next) {
          bench.show(next, this.selecting, moment.keepsDraft);
          bench.debugger.arrive();
        }
        for (const stop of next.stops.slice(before)) bench.debugger.stopped(stop);
      },
      shown: painted,
    });
    this.#intake = intake;
    this.#connection = connect({
      events: (batch, nbytes) => {
        next.nbytes += nbytes;
        intake.add(batch);
      },
      opened: (answer) => bench.debugger.opened(answer),
      notices: (now) => {
        next.notices = now;
        bench.debugger.breakpoints.share(now.find((one) => one.kind === 'breakpoints'));
      },
      status: (status) => intake.after(() => this.#turn(next, status, moment)),
    });
  }

  /** Takes what became of the connection of a run, once the events before that are shown. */
  #turn(next: Run, status: ConnectionStatus, moment: Moment): void {
    const { bench } = this;
    const found = next.connection.state === 'lost' && status.state === 'live';
    next.connection = status;
    if (found) bench.debugger.adopt();
    if (status.state === 'ended') next.notices = [];
    if (status.refused === NO_TOKEN) bench.locked = true;
    if (this.pending !== next || status.state !== 'ended') return;
    if (status.gone) bench.lose(moment.at ?? null, this.selecting);
    else if (bench.run && bench.run.length > 0) {
      const text = say.lastRunStillShown(status.reason ?? '').trim();
      const waits = MEASURED.includes(status.refused ?? 0);
      bench.notice = waits ? { tone: 'plain', text } : { tone: 'error', text, of: bench.draft };
    } else bench.show(next, null);
    this.pending = null;
  }

  /** Resolves when what has changed is on the screen. */
  readonly painted = painted;

  /** A run of a program that is shown later, if at all. */
  newRun(source: string): Run {
    return Run.of(source);
  }

  /** Runs a program beside what is shown. */
  connect(source: string, sink: EventSink): RunConnection {
    return RunConnection.run({ source, ...(this.bench.seed ? { seed: this.bench.seed } : {}) }, sink);
  }

  /** Ends a run that is under way or in the line. */
  stop(run: Run): void {
    if (run.notices.some(({ kind }) => kind === 'waiting' || kind === 'refused')) {
      this.#leaveLine(run);
      return;
    }
    run.stopping = true;
    if (run.connection.state === 'live') {
      this.#connection?.stop();
      return;
    }
    this.#connection?.close();
    this.pending = null;
    run.connection = { state: 'ended', reason: say.runLeftUnreached };
  }

  #leaveLine(run: Run): void {
    this.#connection?.stop();
    this.#connection?.close();
    this.pending = null;
    run.notices = [];
    this.bench.notice = { tone: 'plain', text: say.leftLine };
  }

  /** Asks the debugger of the run. */
  async ask(command: Ask): Promise<Answer> {
    if (this.#connection) return this.#connection.ask(command);
    return { answer: 'refused', id: 0, reason: say.noProgramIsRunning };
  }

  /** Tells the server that the reader is still there. */
  stay(): void {
    this.#connection?.stay();
  }

  /** Listens no longer to the run that is shown or asked for. */
  leave(): void {
    this.#connection?.close();
    this.#intake?.close();
  }
}
