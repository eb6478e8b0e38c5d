// One run of a program as the page follows it: its log, its timeline and the moment the reader is at.

import { Mentions } from '../inspector/mentions';
import type { Event } from '../protocol/events';
import { EventLog } from '../store/log';
import type { Moment } from '../timeline/moments';
import type { RunState } from '../timeline/state';
import { Timeline } from '../timeline/timeline';
import type { ConnectionStatus } from '../transport/connection';

export type RunStatus = 'running' | 'ok' | 'error' | 'stopped' | 'limit' | 'unreachable';
/** How the cursor got where it is: one step forward may be animated, anything else shows the state at once. */
export type Arrival = 'step' | 'jump';

/** Moments from which on the timeline is drawn at intervals, in milliseconds, while the program runs. */
const LONG = 2000;
const COARSE_MS = 150;

/** A log that grows, and a cursor into its moments; cursor -1 is before the first of them. */
export class Run {
  readonly log = new EventLog();
  readonly timeline = new Timeline(this.log);
  readonly mentions = new Mentions(this.log.events);
  source: string;

  connection = $state.raw<ConnectionStatus>({ state: 'connecting' });
  cursor = $state(-1);
  arrival = $state<Arrival>('jump');
  /** Counts the batches that arrived, so that what reads the log is derived again. */
  revision = $state(0);
  /** Follows `revision` at a pace that drawing a long timeline afresh can keep. */
  coarseRevision = $state(0);
  stopping = $state(false);
  #coarseTimer: ReturnType<typeof setTimeout> | undefined;
  #goal: number | 'backward' | null;

  constructor(source: string, goal: number | null = null) {
    this.source = source;
    this.#goal = goal ?? 'backward';
  }

  readonly length = $derived.by(() => {
    this.revision;
    return this.timeline.moments.length;
  });
  readonly finished = $derived.by(() => {
    this.revision;
    return this.log.finished;
  });
  readonly status = $derived.by<RunStatus>(() => {
    this.revision;
    const last = this.log.events.at(-1);
    if (last?.kind === 'program_finished') return last.status as RunStatus;
    return this.connection.state === 'ended' ? 'unreachable' : 'running';
  });
  readonly state: RunState = $derived.by(() => {
    this.revision;
    return this.timeline.stateAt(this.cursor);
  });
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
  readonly atEnd = $derived(this.cursor >= this.length - 1);

  /** Takes a batch of events, and moves the cursor to the moment that was asked for once it is known. */
  append(batch: Event[]): void {
    if (batch.length === 0) return;
    this.log.append(batch);
    this.revision += 1;
    this.#seek();
    if (this.log.finished || this.timeline.moments.length < LONG) {
      clearTimeout(this.#coarseTimer);
      this.#coarseTimer = undefined;
      this.coarseRevision = this.revision;
    } else {
      this.#coarseTimer ??= setTimeout(() => {
        this.#coarseTimer = undefined;
        this.coarseRevision = this.revision;
      }, COARSE_MS);
    }
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

  /** Puts the cursor at a moment, within what has arrived. */
  moveTo(cursor: number, arrival: Arrival = 'jump'): void {
    this.#goal = null;
    const last = this.timeline.moments.length - 1;
    const wanted = Math.max(-1, Math.min(last, Math.round(cursor)));
    this.arrival = arrival === 'step' && wanted === this.cursor + 1 ? 'step' : 'jump';
    this.cursor = wanted;
  }

  /** Moves by a number of moments. */
  step(by: number): void {
    this.moveTo(this.cursor + by, by === 1 ? 'step' : 'jump');
  }
}
