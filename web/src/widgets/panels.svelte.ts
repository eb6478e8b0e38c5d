// Sizes of the rooms and which of them are folded, remembered between visits.

export type PanelName = 'code' | 'console' | 'inspector' | 'debugger' | 'timeline';
export const PANELS: readonly PanelName[] = ['code', 'console', 'inspector', 'debugger', 'timeline'];
export type Panel = { size: number; folded: boolean };

const KEY = 'backscope.panels';
const LIMITS: Record<PanelName, { initial: number; least: number; most: number }> = {
  code: { initial: 380, least: 260, most: 720 },
  console: { initial: 168, least: 80, most: 480 },
  inspector: { initial: 320, least: 260, most: 560 },
  debugger: { initial: 400, least: 120, most: 640 },
  timeline: { initial: 120, least: 104, most: 240 },
};

/** Keeps a panel's size, in CSS pixels, within what it can be read at. */
export function clampSize(name: PanelName, size: number): number {
  const { least, most } = LIMITS[name];
  return Math.round(Math.min(most, Math.max(least, size)));
}

type Stored = { panels: Record<PanelName, Panel>; chosen: Set<PanelName> };

function stored(): Stored {
  const chosen = new Set<PanelName>();
  const panels = Object.fromEntries(
    // Until a program is paused for the first time there is little to see in the debugger.
    Object.entries(LIMITS).map(([name, limit]) => [name, { size: limit.initial, folded: name === 'debugger' }]),
  ) as Record<PanelName, Panel>;
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    for (const name of Object.keys(LIMITS) as PanelName[]) {
      const panel = kept[name];
      if (typeof panel?.size === 'number') {
        panels[name].size = clampSize(name, panel.size);
        chosen.add(name);
      }
      if (typeof panel?.folded === 'boolean') panels[name].folded = panel.folded;
    }
  } catch {
    // A damaged memory of sizes is no reason not to show the page.
  }
  return { panels, chosen };
}

/** Below this width of the window the inspector is folded until it is called for: the stage needs the room. */
const SCARCE = '(max-width: 1199px)';

/** The rooms beside the stage. */
export class Panels {
  readonly #stored = stored();
  readonly all = $state(this.#stored.panels);
  /** The panels that the reader gave a size; only these sizes are remembered. */
  readonly #chosen = this.#stored.chosen;
  /** Whether the inspector is folded where there is room for it; only that is remembered. */
  #foldedInspector = this.all.inspector.folded;
  readonly #scarce = matchMedia(SCARCE);
  /** The room that the reader asked to go to last; another object each time. */
  called = $state.raw<{ room: PanelName | 'table' | 'exports' } | null>(null);
  /** The call for which the keyboard was brought to its room. */
  #answered: object | null = null;
  /** The rooms are tabs below the stage, of which one is shown. */
  tabbed = false;
  /** Where the keyboard was before the table. */
  #caller: Element | null = null;
  /** The steps are shown as a table beside the graph. */
  table = $state(false);
  /** What is shown of the run in rows under the timeline. */
  rows = $state<'training' | 'buffers' | 'differences' | null>(null);
  /** The panels that the open page of a lesson does without: they are not there, folded or not. */
  hidden = $state.raw<ReadonlySet<string>>(new Set());
  /**
   * How many times as large as usual texts are while a lesson is shown as slides, when panels are open or hidden and none is
   * folded; 0 while there are no slides.
   */
  slides = $state(0);
  /** The field for an expression to watch over the run is open. */
  watching = $state(false);

  constructor() {
    const follow = () => {
      this.all.inspector.folded = this.#scarce.matches || this.#foldedInspector;
    };
    follow();
    this.#scarce.addEventListener('change', follow);
  }

  isFolded(name: PanelName): boolean {
    return !this.slides && this.all[name].folded;
  }

  /** Takes some panels away, and brings back those that were hidden before. */
  hide(names: readonly PanelName[]): void {
    if (names.length > 0 || this.hidden.size > 0) this.hidden = new Set(names);
  }

  /** Brings a hidden panel back. */
  reveal(name: PanelName): void {
    if (this.hidden.has(name)) this.hidden = new Set([...this.hidden].filter((one) => one !== name));
  }

  /** Opens a room and brings the keyboard to it. */
  call(room: PanelName): void {
    if (room === 'console' && !this.hidden.has('code')) this.fold('code', false);
    if (room === 'debugger') this.fold('inspector', false);
    this.fold(room, false);
    this.called = { room };
  }

  /** Returns true once for each call to a room: also a room that comes with the call brings the keyboard to itself. */
  answers(room: string): boolean {
    const { called } = this;
    if (called?.room !== room || called === this.#answered) return false;
    this.#answered = called;
    return true;
  }

  /** Opens what takes the run away: on a phone a sheet, else the panel of the button. */
  callExports(): void {
    this.called = { room: 'exports' };
  }

  /** Shows the steps as a table and brings the keyboard to it, or puts it away. */
  toggleTable(): void {
    this.table = !this.table;
    this.called = this.table ? { room: 'table' } : null;
    if (this.table) this.#caller = document.activeElement;
    else if (this.#caller instanceof HTMLElement && this.#caller.isConnected) this.#caller.focus();
  }

  toggleRows(rows: 'training' | 'buffers' | 'differences'): void {
    this.rows = this.rows === rows ? null : rows;
  }

  resize(name: PanelName, size: number): void {
    this.all[name].size = clampSize(name, size);
    this.#chosen.add(name);
    this.#remember();
  }

  /** Gives a panel the size that suits the window and the program; a size that the reader chose stays. */
  suit(name: PanelName, size: number): void {
    if (!this.#chosen.has(name)) this.all[name].size = clampSize(name, size);
  }

  fold(name: PanelName, folded: boolean): void {
    if (!folded) this.reveal(name);
    this.all[name].folded = folded;
    if (name === 'inspector' && !this.#scarce.matches) this.#foldedInspector = folded;
    this.#remember();
  }

  /** Least and greatest size of a panel, in CSS pixels. */
  limits(name: PanelName): { least: number; most: number } {
    return LIMITS[name];
  }

  #remember(): void {
    const kept = Object.entries({ ...this.all }).map(([name, { size, folded }]) => [
      name,
      {
        size: this.#chosen.has(name as PanelName) ? size : undefined,
        folded: name === 'inspector' ? this.#foldedInspector : folded,
      },
    ]);
    try {
      localStorage.setItem(KEY, JSON.stringify(Object.fromEntries(kept)));
    } catch {
      // A full or denied storage: the sizes hold for this visit.
    }
  }
}

export const panels = new Panels();
