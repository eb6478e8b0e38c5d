// The reader's search on the stage: words and filters, their hits, and the current one.

import type { Item } from '../layout/graph';
import type { MirrorLayout } from '../layout/mirror';
import { type Folds, withOpened } from '../scene/fold/folds';
import { isSame, type Target } from '../scene/target';
import type { Timeline } from '../timeline/timeline';
import { ahead } from '../widgets/typed-ahead';
import type { Row } from './catalogue';
import { type Filter, isOfProgram, readFilter, toggled } from './filter';

/** What is placed of a run; another object each time that more is. */
export type Ground = { layout: MirrorLayout };

/** What the search needs of the page. */
export type FindPage = {
  readonly find: Finder;
  readonly run: { readonly seq: number; readonly coarseRevision: number; readonly timeline: Timeline } | null;
  readonly selection: Target | null;
  readonly view: { visit(item: Item): void } | null;
  folds: Folds;
  select(target: Target | null): void;
  moveToSeq(seq: number): void;
};

/** The page's search; the room that does the work comes when it is first asked for. */
export class Finder {
  /** The field is open. */
  open = $state(false);
  query = $state('');
  filters = $state.raw<readonly Filter[]>([]);
  ground = $state.raw<Ground | null>(null);
  /** The hits in the order of the program; null while nothing is looked for, or nothing has been found out yet. */
  rows = $state.raw<readonly Row[] | null>(null);
  /** The index of the hit that the reader went to last, -1 before the first. */
  at = $state(-1);
  /** Counts how often the reader called for the field. */
  summoned = $state(0);
  /** The last of those calls that the field took the keyboard for. */
  answered = 0;
  /** What `rows` answer. */
  #taken = '';
  /** A step that waits for what is being looked for; typing on drops it. */
  #next: { by: 1 | -1; query: string } | null = null;
  /** A filter was set: what it finds first is to be brought into view. */
  #looks = false;
  /** Where the keyboard was before. */
  #caller: Element | null = null;
  /** The items that are hits; everything else on the stage is quiet. Where nothing is found, nothing is. */
  readonly hits = $derived.by((): ReadonlySet<Item> | null =>
    this.rows && this.rows.length > 0 ? new Set(this.rows.map(({ item }) => item)) : null,
  );
  readonly asks = $derived(this.query.trim() !== '' || this.filters.length > 0);

  constructor(private readonly page: FindPage) {}

  /** Opens the field and brings the keyboard to it. */
  summon(): void {
    if (!this.open) {
      this.#caller = document.activeElement;
      ahead.expect(import('./FindRoom.svelte'), () => this.close());
    }
    this.open = true;
    this.summoned += 1;
  }

  /** Puts the field and what was typed away, and gives the keyboard back; filters stay until they are taken away. */
  close(): void {
    this.open = false;
    this.query = '';
    if (this.#caller instanceof HTMLElement && this.#caller.isConnected) this.#caller.focus();
    this.#caller = null;
  }

  /** Sets a filter, or takes it away. */
  toggle(filter: Filter): void {
    const before = this.filters.length;
    this.filters = toggled(this.filters, filter);
    this.#looks = this.filters.length >= before;
  }

  dropFilters(): void {
    this.filters = [];
  }

  /** Takes away the filters that mean a pass or a module of the program that was shown. */
  leaveProgram(): void {
    if (this.filters.some(isOfProgram)) this.filters = this.filters.filter((filter) => !isOfProgram(filter));
  }

  /** Takes what a link brought. */
  load(query: string | null, filters: readonly string[]): void {
    this.query = query ?? '';
    this.open = this.query !== '';
    this.filters = filters.map(readFilter).filter((filter) => filter !== null);
  }

  /** Takes what was found, and keeps the hit that one is at. */
  take(rows: readonly Row[] | null): void {
    const here = this.rows?.[this.at]?.item;
    this.rows = rows;
    this.#taken = this.query;
    this.at = here && rows ? rows.findIndex(({ item }) => item === here) : -1;
    const next = this.#next;
    this.#next = null;
    if (next?.query === this.query) this.step(next.by);
    if (rows && this.#looks) this.#show(rows);
  }

  /** Brings the first hit that is there at this step into view, else goes to the first at all. */
  #show(rows: readonly Row[]): void {
    this.#looks = false;
    const { run, view } = this.page;
    if (!run || rows.length === 0) return;
    const { item } = rows.find((row) => row.item.seq <= run.seq) ?? rows[0]!;
    if (item.seq > run.seq) this.page.moveToSeq(item.seq);
    if (this.ground) this.page.folds = withOpened(this.page.folds, item, this.ground.layout);
    view?.visit(item);
  }

  /** Goes to the next hit or the one before: from the hit one is at, else from what is selected. */
  step(by: 1 | -1): void {
    this.#next = this.query === this.#taken ? null : { by, query: this.query };
    if (this.#next || !this.rows || this.rows.length === 0) return;
    const { selection } = this.page;
    const selected = () => this.rows!.findIndex(({ item }) => isSame(targetOfItem(item), selection));
    const count = this.rows.length;
    const from = this.at < 0 ? selected() : this.at;
    this.goTo(from < 0 ? (by === 1 ? 0 : count - 1) : (from + by + count) % count);
  }

  /** Goes to a hit: it is selected and brought into view, at a step at which it is there. */
  goTo(index: number): void {
    const row = this.rows?.[index];
    if (!row) return;
    this.at = index;
    this.visit(row);
  }

  /** Selects what a row is about and brings it into view, at a step at which it is there. */
  visit(row: Row): void {
    const { run } = this.page;
    if (!run) return;
    if (row.item.seq > run.seq) this.page.moveToSeq(row.item.seq);
    if (this.ground) this.page.folds = withOpened(this.page.folds, row.item, this.ground.layout);
    this.page.select(targetOfItem(row.item));
    this.page.view?.visit(row.item);
  }
}

/** What an item on the stage is for the rest of the page. */
export function targetOfItem(item: Item): Target {
  if (item.kind !== 'op') return { type: 'tensor', tensor: item.tensor };
  return item.node === null ? { type: 'op', seq: item.event?.seq ?? item.seq } : { type: 'node', node: item.node };
}
