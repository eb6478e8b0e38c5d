// Numbers in the code that are changed by dragging them, or by keys at the cursor.

import { isolateHistory, undo } from '@codemirror/commands';
import { forceParsing, syntaxTree } from '@codemirror/language';
import { type EditorState, type Extension, Prec, StateEffect, StateField } from '@codemirror/state';
import {
  type Command,
  Decoration,
  type DecorationSet,
  EditorView,
  keymap,
  ViewPlugin,
  type ViewUpdate,
  WidgetType,
} from '@codemirror/view';
import * as say from '../messages/numbers';
import { narrow } from '../widgets/media.svelte';
import { changedNumber, type NumberLiteral, readNumber } from './number';

/** What is called while a number changes; the text itself comes by the editor's updates. */
export type NumberChanges = {
  /** The first change comes. */
  began(): void;
  changed(): void;
  /** No more changes come. */
  ended(): void;
};

/** A number in the text, with the sign that is its own. */
type Place = { from: number; to: number; text: string; literal: NumberLiteral };

/** CSS pixels for each unit. */
const UNIT_PX = 6;
/** CSS pixels that a pointer may move and still only click. */
const SLACK_PX = 4;
const TENTHS = 10n;
/** No key after this time ends the change by keys, in milliseconds. */
const REST_MS = 600;
/** The longest time that looking for a number in the whole program may take. */
const PARSING_MS = 100;

/** The number at a position of the program; null in strings, comments and everything else. */
function numberAt(state: EditorState, at: number): Place | null {
  const tree = syntaxTree(state);
  const node = [1, -1].map((side) => tree.resolveInner(at, side as 1 | -1)).find(({ name }) => name === 'Number');
  if (!node) return null;
  let { from } = node;
  const { to, parent } = node;
  // In `return-1` the sign divides the words.
  const isSigned = parent?.name === 'UnaryExpression' && parent.from === from - 1;
  if (isSigned && state.sliceDoc(from - 1, from) === '-' && !/\w/.test(state.sliceDoc(from - 2, from - 1))) from -= 1;
  const text = state.sliceDoc(from, to);
  const literal = readNumber(text);
  return literal && { from, to, text, literal };
}

/** The numbers of the program in a range, in order. */
export function numbersIn(state: EditorState, from: number, to: number): Place[] {
  const found: Place[] = [];
  syntaxTree(state).iterate({
    from,
    to,
    enter: ({ name, from: start }) => {
      const place = name === 'Number' ? numberAt(state, start) : null;
      if (place) found.push(place);
    },
  });
  return found;
}

/** Replaces a number; a cursor in it keeps its distance to the end. */
function replaced({ state }: EditorView, from: number, to: number, insert: string) {
  const { head } = state.selection.main;
  const within = head >= from && head <= to;
  const anchor = Math.max(from, from + insert.length - (to - head));
  return { changes: { from, to, insert }, ...(within ? { selection: { anchor } } : {}) };
}

/** A number under a pointer: how far the pointer is since it changes by `weight` tenths for each unit, and what came before. */
type Held = {
  place: Place;
  pointer: number;
  fromX: number;
  lastX: number;
  before: bigint;
  weight: bigint;
};

function unitsTo(x: number, { fromX }: Held): bigint {
  return BigInt(Math.round((x - fromX) / UNIT_PX));
}

class NumberDrag {
  decorations: DecorationSet;
  #held: Held | null = null;
  #shown = '';
  #moved = false;
  #wrote = false;
  /** The text is being changed by the drag itself. */
  #writes = false;
  readonly #escape = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !this.#moved) return;
    event.preventDefault();
    event.stopPropagation();
    this.end(false);
  };

  constructor(
    readonly view: EditorView,
    readonly on: NumberChanges,
  ) {
    this.decorations = this.#draw();
  }

  update(update: ViewUpdate): void {
    if (update.docChanged && !this.#writes && this.#held) this.#leave();
    const parsed = syntaxTree(update.startState) !== syntaxTree(update.state);
    if (update.docChanged || update.viewportChanged || parsed) this.decorations = this.#draw();
  }

  #draw(): DecorationSet {
    const { state, visibleRanges } = this.view;
    const held = this.#moved ? this.#held?.place.from : -1;
    const places = visibleRanges.flatMap(({ from, to }) => numbersIn(state, from, to));
    return Decoration.set(
      places.map(({ from, to }) => (from === held ? HELD : NUMBER).range(from, to)),
      true,
    );
  }

  /** A pointer goes down; true where it is on a number. */
  press(event: PointerEvent): boolean {
    this.#moved = this.#wrote = false;
    this.#held = null;
    const mark = event.target instanceof Element ? event.target.closest('.cm-number') : null;
    if (!mark || event.button !== 0 || !event.isPrimary || this.view.state.readOnly) return false;
    // Behind its first character: before a sign there is none.
    const place = numberAt(this.view.state, this.view.posAtDOM(mark) + 1);
    if (!place) return false;
    const x = event.clientX;
    this.#held = { place, pointer: event.pointerId, fromX: x, lastX: x, before: 0n, weight: TENTHS };
    return true;
  }

  move(event: PointerEvent): void {
    const held = this.#held;
    if (!held || event.pointerId !== held.pointer) return;
    if (!this.#moved) {
      if (Math.abs(event.clientX - held.fromX) < SLACK_PX) return;
      this.#moved = true;
      this.#shown = held.place.text;
      this.view.contentDOM.setPointerCapture(held.pointer);
      this.view.dom.classList.add('cm-dragging');
      window.addEventListener('keydown', this.#escape, true);
      this.on.began();
    }
    event.preventDefault();
    const isFine = event.altKey && !held.place.literal.isInteger;
    const weight = isFine ? 1n : event.shiftKey ? TENTHS * 10n : TENTHS;
    if (weight !== held.weight) {
      held.before += unitsTo(held.lastX, held) * held.weight;
      held.fromX = held.lastX;
      held.weight = weight;
    }
    held.lastX = event.clientX;
    const tenths = held.before + unitsTo(event.clientX, held) * weight;
    if (this.#write(changedNumber(held.place.literal, tenths))) this.on.changed();
  }

  /** Writes the number; all of a drag is one step of the history. */
  #write(text: string): boolean {
    const held = this.#held;
    if (!held || text === this.#shown) return false;
    const { from } = held.place;
    const change = replaced(this.view, from, from + this.#shown.length, text);
    // Further changes of a composition join the one before, however late they are.
    const joined = this.#wrote
      ? { userEvent: 'input.type.compose' }
      : { userEvent: 'input', annotations: isolateHistory.of('before') };
    this.#writes = true;
    this.view.dispatch({ ...change, ...joined });
    this.#writes = false;
    this.#shown = text;
    this.#wrote = true;
    return true;
  }

  #letGo(): void {
    this.#held = null;
    this.#shown = '';
    window.removeEventListener('keydown', this.#escape, true);
    this.view.dom.classList.remove('cm-dragging');
  }

  /** Ends the drag because the text was changed by something else: the number is no longer where it was. */
  #leave(): void {
    this.#letGo();
    // The editor is in the middle of an update.
    if (this.#moved) queueMicrotask(() => this.on.ended());
  }

  /** Ends the drag; where it is not kept, the text is what it was. */
  end(isKept: boolean): void {
    const held = this.#held;
    if (!held) return;
    const shown = this.#shown;
    this.#letGo();
    if (this.#moved) {
      const { from, text } = held.place;
      if (this.#wrote && (!isKept || shown === text)) {
        undo(this.view);
        // The cursor may be elsewhere.
        this.view.dispatch({ effects: EditorView.scrollIntoView(from, { y: 'nearest' }) });
        this.on.changed();
      } else this.view.dispatch({ annotations: isolateHistory.of('full') });
      this.on.ended();
    }
    this.decorations = this.#draw();
    this.view.dispatch({});
  }

  /** A pointer goes up: it dragged, or it clicked and puts the cursor there. */
  release(event: PointerEvent): void {
    const held = this.#held;
    if (!held || event.pointerId !== held.pointer) return;
    if (this.#moved || event.pointerType !== 'mouse') {
      this.end(true);
      return;
    }
    this.#held = null;
    const head = this.view.posAtCoords({ x: event.clientX, y: event.clientY });
    if (head === null) return;
    const anchor = event.shiftKey ? this.view.state.selection.main.anchor : head;
    this.view.dispatch({ selection: { anchor, head }, userEvent: 'select.pointer' });
    this.view.focus();
  }

  get isHeld(): boolean {
    return this.#held !== null;
  }

  /** What follows a drag is no click. */
  get wasMoved(): boolean {
    return this.#moved;
  }

  destroy(): void {
    window.removeEventListener('keydown', this.#escape, true);
    if (this.#moved && this.#held) this.on.ended();
  }
}

const attributes = { title: say.dragIt };
const NUMBER = Decoration.mark({ class: 'cm-number', attributes });
const HELD = Decoration.mark({ class: 'cm-number cm-number-held', attributes });

/** Shows how a number is changed, under the line of a position; until the text changes. */
const setHint = StateEffect.define<number>();

class HintWidget extends WidgetType {
  override toDOM(): HTMLElement {
    const line = document.createElement('div');
    line.className = 'cm-number-hint';
    line.textContent = narrow.matches ? say.howToDrag : say.howToChange;
    return line;
  }

  override eq(): boolean {
    return true;
  }
}

const hints = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(shown, transaction) {
    for (const effect of transaction.effects) {
      if (!effect.is(setHint)) continue;
      const { to } = transaction.newDoc.lineAt(effect.value);
      return Decoration.set([Decoration.widget({ widget: new HintWidget(), block: true, side: 2 }).range(to)]);
    }
    return transaction.docChanged ? Decoration.none : shown;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Selects the first number of a line, else the first after it, else of the program, and shows how it is changed. */
export function offerNumber(view: EditorView, line: number | null): void {
  forceParsing(view, view.state.doc.length, PARSING_MS);
  const { state } = view;
  const { doc } = state;
  const from = line !== null && line >= 1 && line <= doc.lines ? doc.line(line).from : 0;
  const places = numbersIn(state, 0, doc.length);
  const place = places.find((one) => one.from >= from) ?? places[0];
  // On a phone the keyboard would lie over the number.
  if (!narrow.matches) view.focus();
  if (!place) return;
  view.dispatch({
    selection: { anchor: place.from, head: place.to },
    effects: [setHint.of(place.from), EditorView.scrollIntoView(place.from, { y: 'center' })],
  });
}

/** The number that keys changed last, as they left it, and the decimals that it had before: these stay its unit. */
type Keyed = { last: { from: number; text: string; head: number; decimals: number } | null };

/**
 * Changes the number at the cursor by tenths of a unit of its last digit, an int by whole units; leaves the key to others where
 * there is none.
 */
function changeBy(tenths: bigint, keyed: Keyed, changed: () => void): Command {
  return (view) => {
    const { main } = view.state.selection;
    const place = view.state.readOnly ? null : (numberAt(view.state, main.head) ?? numberAt(view.state, main.from));
    if (!place) return false;
    const { from, to, literal } = place;
    const { last } = keyed;
    const isSame = last?.from === from && last.text === place.text && last.head === main.head;
    const decimals = isSame ? last.decimals : literal.decimals;
    const units = literal.isInteger && tenths % TENTHS !== 0n ? tenths * TENTHS : tenths;
    const text = changedNumber(literal, units * TENTHS ** BigInt(literal.decimals - decimals));
    view.dispatch({ ...replaced(view, from, to, text), scrollIntoView: true });
    keyed.last = { from, text, head: view.state.selection.main.head, decimals };
    changed();
    return true;
  };
}

const look = EditorView.theme({
  // On all of the text: it means nothing for what lies within a line.
  '.cm-content': { touchAction: 'pan-y pinch-zoom' },
  '.cm-number': { cursor: 'ew-resize', borderRadius: '2px' },
  '.cm-number:hover, .cm-number-held': {
    textDecoration: 'underline dotted var(--ink)',
    textDecorationThickness: '2px',
    textUnderlineOffset: '4px',
    color: 'var(--ink)',
  },
  '.cm-number-held': { backgroundColor: 'var(--hover)' },
  '&.cm-dragging .cm-content': { cursor: 'ew-resize', userSelect: 'none' },
  '.cm-number-hint': {
    padding: '0 16px 0 8px',
    color: 'var(--muted)',
    fontFamily: 'var(--font-ui)',
    fontSize: 'var(--size-12)',
  },
});

/** Numbers as an extension: they are dragged, and changed by Alt with the arrow up or down. */
export function numbers(on: NumberChanges): Extension {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const byKey = () => {
    clearTimeout(timer);
    on.began();
    on.changed();
    timer = setTimeout(() => on.ended(), REST_MS);
  };
  const plugin = ViewPlugin.define((view) => new NumberDrag(view, on), {
    decorations: ({ decorations }) => decorations,
    eventHandlers: {
      pointerdown(event) {
        this.press(event);
        return false;
      },
      pointermove(event) {
        this.move(event);
        return false;
      },
      pointerup(event) {
        this.release(event);
        return false;
      },
      pointercancel() {
        this.end(true);
        return false;
      },
      // A second click selects the word, as everywhere.
      mousedown(event) {
        return this.isHeld && event.detail === 1;
      },
      click() {
        return this.wasMoved;
      },
    },
  });
  const keyed: Keyed = { last: null };
  const by = (tenths: bigint) => changeBy(tenths, keyed, byKey);
  return [
    Prec.high([
      plugin,
      keymap.of([
        { key: 'Alt-ArrowUp', run: by(TENTHS), shift: by(10n * TENTHS) },
        { key: 'Alt-ArrowDown', run: by(-TENTHS), shift: by(-10n * TENTHS) },
        { key: 'Ctrl-Alt-ArrowUp', run: by(1n) },
        { key: 'Ctrl-Alt-ArrowDown', run: by(-1n) },
      ]),
    ]),
    hints,
    look,
  ];
}
