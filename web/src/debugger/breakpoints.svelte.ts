// The breakpoints that the reader has set: in the gutter, on the stage, in the list.

import type { BreakpointsSet } from '../protocol/events';
import {
  type Breakpoint,
  type LinkedBreakpoint,
  type SentBreakpoint,
  type StopPoint,
  stopPointKey,
} from './breakpoint';

/** What can be changed about a breakpoint. */
export type Change = Partial<Pick<Breakpoint, 'enabled' | 'condition' | 'hits'>>;

/** As many as one message may carry. */
export const MOST_BREAKPOINTS = 1000;

export class Breakpoints {
  all = $state.raw<readonly Breakpoint[]>([]);
  /** How often each has stopped the run, by id. */
  stops = $state.raw<ReadonlyMap<number, number>>(new Map());
  /** Those of the terminal that the reader removed. */
  removed: number[] = [];
  #next = 1;

  /** `onchange` is called for every change that a running program has to know of. */
  constructor(private readonly onchange: () => void = () => {}) {}

  /** Those that the page has set. */
  get own(): readonly Breakpoint[] {
    return this.all.filter(({ terminal }) => !terminal);
  }

  /** Those in the gutter of a file, the main one without a name, by line. */
  inFile(file?: string): Map<number, Breakpoint> {
    return new Map(
      this.all.flatMap((one) =>
        one.point.on === 'line' && (one.point.file ?? undefined) === file ? [[one.point.line, one] as const] : [],
      ),
    );
  }

  /** The nodes and tensors that those in force are at, as the stage marks them. */
  readonly marked = $derived.by(() => {
    const points = this.all.flatMap(({ point, enabled }) => (enabled ? [point] : []));
    return {
      nodes: new Set(points.flatMap((point) => (point.on === 'node' ? [point.node] : []))),
      tensors: new Set(
        points.flatMap((point) => (point.on === 'tensor' && typeof point.tensor === 'number' ? [point.tensor] : [])),
      ),
    };
  });

  /** The one at a place; null where there is none. */
  at(point: StopPoint): Breakpoint | null {
    const key = stopPointKey(point);
    return this.all.find((one) => stopPointKey(one.point) === key) ?? null;
  }

  /** Sets one, or gives the one that is there already; `edited` where the text is not the one that runs. */
  add(point: StopPoint, { edited = false }: { edited?: boolean } = {}): Breakpoint | null {
    const there = this.at(point);
    if (there || this.all.length >= MOST_BREAKPOINTS) return there;
    const made = this.#make({ point, enabled: true, condition: '', hits: 1 }, edited);
    this.all = [...this.all, made];
    this.onchange();
    return made;
  }

  #make(given: LinkedBreakpoint, edited: boolean, id = this.#next++): Breakpoint {
    const { point } = given;
    return { ...given, id, ranLine: point.on === 'line' && !edited ? point.line : null, problem: null, note: null };
  }

  remove(id: number): void {
    if (this.all.some((one) => one.id === id && one.terminal)) this.removed.push(id);
    this.all = this.all.filter((one) => one.id !== id);
    this.onchange();
  }

  /** Sets one, or removes the one that is there. */
  toggle(point: StopPoint, options: { edited?: boolean } = {}): void {
    const there = this.at(point);
    if (there) this.remove(there.id);
    else this.add(point, options);
  }

  change(id: number, change: Change): void {
    this.all = this.all.map((one) => (one.id === id ? { ...one, ...change, problem: null, note: null } : one));
    this.onchange();
  }

  /** Takes those of the terminal, and drops those that were removed there. */
  share({ terminal, removed } = { terminal: [] as SentBreakpoint[], removed: [] as number[] }): void {
    const own = this.all.filter((one) => !one.terminal && !removed.includes(one.id));
    const theirs = terminal.filter(({ id }) => !this.removed.includes(id));
    this.all = [
      ...own,
      ...theirs.map(({ id, condition, hits = 1, ...point }) => ({
        ...this.#make({ point, enabled: true, condition: condition ?? '', hits }, false, id),
        terminal: true,
      })),
    ];
    if (removed.length > 0) this.onchange();
  }

  /** Takes those of a link in place of all. */
  load(given: readonly LinkedBreakpoint[]): void {
    this.all = given.slice(0, MOST_BREAKPOINTS).map((one) => this.#make(one, false));
    this.onchange();
  }

  /** Forgets what belongs to the text or to the run of a program: another one takes its place. */
  forgetProgram(): void {
    this.all = this.all.filter(({ point }) => !['line', 'node', 'tensor'].includes(point.on));
    this.onchange();
  }

  /** Follows an edit: `move` gives the new number of a line, null where the line is gone. */
  edit(move: (line: number) => number | null): void {
    if (this.inFile().size === 0) return;
    const taken = new Set<number>();
    const kept: Breakpoint[] = [];
    for (const one of this.all) {
      if (one.point.on !== 'line' || one.point.file) {
        kept.push(one);
        continue;
      }
      const line = move(one.point.line);
      if (line === null || taken.has(line)) continue;
      taken.add(line);
      kept.push(line === one.point.line ? one : { ...one, point: { on: 'line', line } });
    }
    const removed = kept.length < this.all.length;
    this.all = kept;
    if (removed) this.onchange();
  }

  /** The program is run as it is in the editor; what the program needs to know of them. */
  begin(): SentBreakpoint[] {
    this.stops = new Map();
    this.removed = [];
    this.all = this.own.map((one) => ({
      ...one,
      problem: null,
      note: null,
      ranLine: one.point.on === 'line' ? one.point.line : null,
    }));
    return this.sent();
  }

  /** Those in force, as the program takes them. */
  sent(): SentBreakpoint[] {
    return this.own.flatMap(({ id, point, enabled, condition, hits, ranLine }) => {
      if (!enabled || (point.on === 'line' && ranLine === null)) return [];
      const place = point.on === 'line' ? { ...point, line: ranLine! } : point;
      return [{ ...place, id, hits, ...(condition.trim() ? { condition: condition.trim() } : {}) }];
    });
  }

  /** Takes what the program made of them: the lines where they came to be, why some cannot be, unknown names. */
  placed(answer: BreakpointsSet): void {
    const places = new Map(answer.places.map((place) => [place.id, place]));
    const problems = new Map((answer.unusable ?? []).map(({ id, reason }) => [id, reason]));
    const notes = new Map((answer.pending ?? []).map(({ id, note }) => [id, note]));
    const taken = new Set<string>();
    this.all = this.all.flatMap((one) => {
      if (one.terminal) return [one];
      const problem = problems.get(one.id) ?? null;
      const note = notes.get(one.id) ?? null;
      if (one.point.on !== 'line') return [{ ...one, problem, note }];
      const { line } = one.point;
      const { line: place, file = one.point.file } = places.get(one.id) ?? {};
      // In a text that was edited since, the line that it came to be at is another one.
      const moved = typeof place === 'number' && one.ranLine === line ? place : line;
      const ranLine = typeof place === 'number' ? place : one.ranLine;
      const point: StopPoint = { on: 'line', line: moved, ...(file ? { file } : {}) };
      const key = stopPointKey(point);
      if (taken.has(key)) return [];
      taken.add(key);
      return [{ ...one, problem, note, ranLine, point }];
    });
  }

  /** The run was stopped by these. */
  stopped(ids: readonly number[]): void {
    if (ids.length === 0) return;
    const stops = new Map(this.stops);
    for (const id of ids) stops.set(id, (stops.get(id) ?? 0) + 1);
    this.stops = stops;
  }
}
