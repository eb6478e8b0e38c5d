// One run of a program as the page follows it: its log, its timeline and the moment the reader is at.

import { Mentions } from '../facts/mentions';
import * as say from '../messages/page/app';
import type { Event, Paused } from '../protocol/events';
import { EventLog } from '../store/log';
import { FirstNans } from '../timeline/first-nan';
import type { Moment } from '../timeline/moments';
import type { Span } from '../timeline/span';
import type { RunState } from '../timeline/state';
import { Timeline } from '../timeline/timeline';
import type { ConnectionStatus } from '../transport/connection';
import type { Notice } from '../transport/notice';
import { fetchTrace } from './api';
import { type Unit, unitEnd, unitsOf } from './unit';

export type RunStatus = 'running' | 'reading' | 'ok' | 'error' | 'stopped' | 'limit' | 'cut' | 'unreachable';
/** How the cursor got where it is: one step forward may be animated, anything else shows the state at once. */
export type Arrival = 'step' | 'jump';

/** Moments from which on the timeline is drawn at intervals, in milliseconds, while the program runs. */
const LONG = 2000;
const COARSE_MS = 150;
/** Moments for each of which the interval grows by a millisecond, up to two seconds: all of them are looked at each time. */
const MOMENTS_A_MS = 100;
const MOST_COARSE_MS = 2000;

/** Events from which on the whole page is not drawn within one frame. */
const LONG_EVENTS = 20_000;

/** The events that tell of stops. */
const PAUSES: ReadonlySet<Event['kind']> = new Set<Event['kind']>(['paused', 'resumed', 'program_finished']);

/** A run that ends within this needs no word about running, in milliseconds. */
const PATIENCE_MS = 300;

/** A log that grows, and a cursor into its moments; cursor -1 is before the first of them. */
export class Run {
  readonly log = new EventLog();
  readonly timeline = new Timeline(this.log);
  readonly mentions = new Mentions(this.log);
  readonly firstNans = new FirstNans(this.timeline.history.asked);
  source: string;
  /** About as long as the text of its events is. */
  nbytes = 0;
  /** It was opened at a moment that a link names. */
  readonly linked: boolean;

  connection = $state.raw<ConnectionStatus>({ state: 'connecting' });
  /** More of its file is to be read. */
  reading = $state(false);
  /** What the server says about the run beside its events. */
  notices = $state.raw<readonly Notice[]>([]);
  cursor = $state(-1);
  arrival = $state<Arrival>('jump');
  /** Counts the batches that arrived, so that what reads the log is derived again. */
  revision = $state(0);
  /** Follows `revision` at a pace that drawing a long timeline afresh can keep. */
  coarseRevision = $state(0);
  /** The stretch that the timeline shows; null for all of it. */
  span = $state.raw<Span | null>(null);
  stopping = $state(false);
  /** It has been under way for long enough to be worth a word. */
  patient = $state(false);
  /** Where the program is paused in the debugger; null while it runs. */
  paused = $state.raw<Paused | null>(null);
  /** Where the program was paused when a limit ended it, as where it gave its place to one that waited. */
  leftAt = $state.raw<Paused | null>(null);
  /** How often the program went on after a stop. */
  resumes = $state(0);
  /** Every stop so far. */
  readonly stops: Paused[] = [];
  /** It was sent on to its end, past all breakpoints. */
  skipped = $state(false);
  /** Whether the cursor goes along with the program. */
  #follows = false;
  /** The session that was opened from the run's trace, so that the server can be asked about it. */
  lent = $state<string | null>(null);
  /** The server does not have the run's own session any more. */
  forgotten = $state(false);
  /** How many moments were settled, and the events about stops that are not. */
  #settled = 0;
  readonly #unsettled: Event[] = [];
  #coarseTimer: ReturnType<typeof setTimeout> | undefined;
  #goal: number | 'backward' | null;

  constructor(source: string, goal: number | null = null) {
    this.source = source;
    this.linked = goal !== null;
    this.#goal = goal ?? 'backward';
    setTimeout(() => {
      this.patient = true;
    }, PATIENCE_MS);
  }

  /** A new run. What it derives lasts longer than the effect in which it is asked for, as that of a page of a lesson. */
  static of(source: string, goal: number | null = null): Run {
    let made: Run | null = null;
    $effect.root(() => {
      made = new Run(source, goal);
    });
    return made!;
  }

  /** The run of a trace, which has no server; its events come by `take`. */
  static recorded(goal: number | null = null): Run {
    const run = Run.of('', goal);
    run.connection = { state: 'ended' };
    return run;
  }

  /** Takes events of a trace, which `settle` shows; throws an error that says so where they cannot be shown. */
  take(batch: readonly Event[]): void {
    try {
      this.fold(batch);
    } catch {
      throw new Error(say.traceContradictsItself);
    }
  }

  readonly length = $derived.by(() => {
    this.revision;
    return this.timeline.moments.length;
  });
  /** So many events that what lies beside the stage comes a frame later. */
  readonly isLong = $derived.by(() => {
    this.revision;
    return this.log.length > LONG_EVENTS;
  });
  readonly finished = $derived.by(() => {
    this.revision;
    return this.log.finished;
  });
  readonly status = $derived.by<RunStatus>(() => {
    this.revision;
    const last = this.log.at(-1);
    if (last?.kind === 'program_finished') return last.status as RunStatus;
    if (this.reading) return 'reading';
    return this.connection.state === 'ended' ? 'unreachable' : 'running';
  });
  /** More events may come. */
  readonly grows = $derived(this.status === 'running' || this.status === 'reading');
  readonly state: RunState = $derived.by(() => {
    this.revision;
    return this.timeline.stateAt(this.cursor);
  });
  /** Values, saved tensors or gradients hold memory at the cursor. */
  get holdsMemory(): boolean {
    this.revision;
    const { values, saved, gradients } = this.timeline.memory();
    return [values, saved, gradients].some((series) => (series[this.cursor] ?? 0) > 0);
  }

  readonly moment: Moment | null = $derived.by(() => {
    this.revision;
    return this.timeline.moments[this.cursor] ?? null;
  });
  readonly next: Moment | null = $derived.by(() => {
    this.revision;
    return this.timeline.moments[this.cursor + 1] ?? null;
  });
  /** The seq of the last event that has happened at the cursor, -1 before the first. */
  readonly seq = $derived.by(() => {
    this.revision;
    return this.timeline.moments[this.cursor]?.last ?? -1;
  });
  /** The event that made the moment at the cursor: what follows it in its moment may come only when more happens. */
  get actingSeq(): number {
    const { moment } = this;
    return moment ? (this.timeline.eventsOf(moment).find(({ kind }) => kind === moment.kind)?.seq ?? moment.last) : -1;
  }

  readonly atEnd = $derived(this.cursor >= this.length - 1);

  /** Takes a batch of events, and moves the cursor to the moment that was asked for once it is known. */
  append(batch: readonly Event[]): void {
    if (batch.length === 0) return;
    this.fold(batch);
    this.settle();
  }

  /** Takes a batch of events into the log and what is kept of it; `settle` shows it. */
  fold(batch: readonly Event[]): void {
    this.log.append(batch);
    // Read with the rest: all of a long log would hold the page up where it is asked for first.
    this.mentions.update();
    this.firstNans.update(this.log);
    this.#unsettled.push(...batch.filter(({ kind }) => PAUSES.has(kind)));
  }

  /** Shows what was taken since the last call. */
  settle(): void {
    const before = this.#settled;
    this.#settled = this.timeline.moments.length;
    const stopped = this.#pauseIn(this.#unsettled.splice(0));
    const linked = typeof this.#goal === 'number' && this.#goal < this.timeline.moments.length;
    this.revision += 1;
    this.#seek();
    // Where the program stops the reader is, too, unless a link asked for a moment before that.
    if (stopped && !linked) this.#arrive(before);
    if (this.log.finished || this.timeline.moments.length < LONG) {
      clearTimeout(this.#coarseTimer);
      this.#coarseTimer = undefined;
      this.coarseRevision = this.revision;
      if (!stopped) this.#followOn();
    } else {
      const grown = COARSE_MS + this.timeline.moments.length / MOMENTS_A_MS;
      this.#coarseTimer ??= setTimeout(
        () => {
          this.#coarseTimer = undefined;
          this.coarseRevision = this.revision;
          this.#followOn();
        },
        Math.min(grown, MOST_COARSE_MS),
      );
    }
  }

  /** Whether the program came to a stop in this batch and is there. */
  #pauseIn(batch: readonly Event[]): boolean {
    let stopped = false;
    for (const event of batch) {
      if (event.kind === 'paused') {
        this.paused = event;
        this.stops.push(event);
        stopped = true;
      } else if (event.kind === 'resumed' || event.kind === 'program_finished') {
        if (event.kind === 'resumed') {
          this.resumes += 1;
          this.skipped ||= event.to === 'end';
        } else if (event.status === 'limit') this.leftAt = this.paused;
        this.paused = null;
        stopped = false;
      }
    }
    return stopped;
  }

  #arrive(before: number): void {
    const last = this.timeline.moments.length - 1;
    this.#goal = null;
    this.#follows = true;
    this.#goTo(last, last === before && this.cursor === before - 1 ? 'step' : 'jump');
  }

  #followOn(): void {
    if (this.#follows) this.#goTo(this.timeline.moments.length - 1, 'jump');
  }

  /** Goes to where the program is, and along with it. */
  follow(): void {
    this.#goal = null;
    this.#follows = true;
    this.#goTo(this.timeline.moments.length - 1, 'jump');
  }

  #seek(): void {
    if (this.#goal === null) return;
    const last = this.timeline.moments.length - 1;
    if (typeof this.#goal === 'number') {
      this.cursor = Math.min(this.#goal, last);
      if (this.#goal <= last || this.log.finished) this.#goal = null;
      return;
    }
    const backward = this.timeline.nextBackward(0);
    this.cursor = backward === null ? last : backward - 1;
    if (backward !== null || this.log.finished) this.#goal = null;
  }

  /** Goes to a moment, as soon as it is there. */
  seek(goal: number): void {
    this.#goal = goal;
    this.#follows = false;
    this.arrival = 'jump';
    this.#seek();
  }

  /** Puts the cursor at a moment, within what has arrived. */
  moveTo(cursor: number, arrival: Arrival = 'jump'): void {
    this.#goal = null;
    this.#follows = false;
    this.#goTo(cursor, arrival);
  }

  #goTo(cursor: number, arrival: Arrival): void {
    const last = this.timeline.moments.length - 1;
    const wanted = Math.max(-1, Math.min(last, Math.round(cursor)));
    this.arrival = arrival === 'step' && wanted === this.cursor + 1 ? 'step' : 'jump';
    this.cursor = wanted;
  }

  /** The moment that begins the next or the previous backward pass; null where there is none. */
  backwardFrom(direction: 1 | -1): number | null {
    this.revision;
    // The place of a pass is the moment before it, so that one can watch it begin.
    return direction === 1
      ? this.timeline.nextBackward(this.cursor + 2)
      : this.timeline.previousBackward(this.cursor + 1);
  }

  /** The end of the backward pass that is under way, else of the next one: null while it is unknown, undefined for no pass. */
  get passEnd(): number | null | undefined {
    const { moments } = this.timeline;
    const under = this.state.call;
    const start = under?.running
      ? this.timeline.momentOfSeq(under.event.seq)
      : this.timeline.nextBackward(this.cursor + 1);
    if (start === null) return undefined;
    const call = moments[start]?.call;
    const end = moments.findIndex(
      (moment, index) => index > start && moment.kind === 'backward_finished' && moment.call === call,
    );
    return end < 0 ? null : end;
  }

  /** Moves by a number of moments. */
  step(by: number): void {
    this.moveTo(this.cursor + by, by === 1 ? 'step' : 'jump');
  }

  /** The units in which the run can be stepped so far. */
  readonly units = $derived.by(() => {
    this.coarseRevision;
    return unitsOf(this.timeline);
  });

  /** Moves to the end of the next or the previous unit, at most to the moment `until`. */
  stepUnit(unit: Unit, by: 1 | -1, until: number | null = null): void {
    const end = unitEnd(this.timeline, this.cursor, this.units.includes(unit) ? unit : 'node', by);
    this.moveTo(until === null ? end : Math.min(end, until), 'step');
  }

  /** The run as a trace file: the server's own bytes while it has them, else written here. */
  async trace(report?: (share: number) => void, signal?: AbortSignal): Promise<Blob | null> {
    if (this.log.length === 0) return null;
    const session = this.finished ? this.connection.session : undefined;
    if (session) {
      try {
        return await fetchTrace(session, signal);
      } catch {
        signal?.throwIfAborted();
        // The server may have forgotten the session; the page has every event.
      }
    }
    const { writeTrace } = await import('../trace/trace');
    return writeTrace(this.log, report, signal);
  }
}
