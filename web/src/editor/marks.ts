// What the page draws into the code: the line of the moment, the lines of the selection, values beside the lines.

import { type Extension, type Range, RangeSet, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, GutterMarker, gutter, WidgetType } from '@codemirror/view';

export type MomentLine = { line: number; phase: 'forward' | 'backward' | 'call' | 'error' | 'blamed' | 'stale' };
export type LineValue = { line: number; text: string; changed: boolean };
/** Where the text is not valid Python: 1-based line and column, and what is wrong. */
export type Mistake = { line: number; column: number | null; message: string };
/** All marks at once; lines are 1-based.  `call` is the line of the backward() that is under way, `blamed` explain an error. */
export type Marks = {
  moment: MomentLine | null;
  call: number | null;
  blamed: number[];
  selected: number[];
  values: LineValue[];
  mistake: Mistake | null;
};

export const setMarks = StateEffect.define<Marks>();

const TITLES: Record<MomentLine['phase'], string> = {
  forward: 'This step',
  backward: 'Made what runs backward in this step',
  call: 'The backward pass that is under way',
  error: 'The error',
  blamed: 'Where the error comes from',
  stale: 'The step of the last run',
};

class MomentMarker extends GutterMarker {
  constructor(readonly phase: MomentLine['phase']) {
    super();
  }

  override eq(other: MomentMarker): boolean {
    return other.phase === this.phase;
  }

  override toDOM(): HTMLElement {
    const ring = document.createElement('span');
    ring.className = `cm-moment cm-moment-${this.phase}`;
    ring.title = TITLES[this.phase];
    return ring;
  }
}

class ValueWidget extends WidgetType {
  constructor(readonly value: LineValue) {
    super();
  }

  override eq(other: ValueWidget): boolean {
    return other.value.text === this.value.text && other.value.changed === this.value.changed;
  }

  override toDOM(): HTMLElement {
    const text = document.createElement('span');
    text.className = this.value.changed ? 'cm-value cm-value-changed' : 'cm-value';
    text.textContent = this.value.text;
    return text;
  }

  override ignoreEvent(): boolean {
    return true;
  }
}

type Drawn = { lines: DecorationSet; rings: RangeSet<GutterMarker> };

function draw(marks: Marks, doc: { lines: number; line(n: number): { from: number; to: number } }): Drawn {
  const inside = (line: number) => line >= 1 && line <= doc.lines;
  const ranges: Range<Decoration>[] = [];
  const rings: Range<GutterMarker>[] = [];
  const mark = ({ line, phase }: MomentLine) => {
    if (!inside(line)) return;
    const { from } = doc.line(line);
    ranges.push(Decoration.line({ class: `cm-line-${phase}` }).range(from));
    rings.push(new MomentMarker(phase).range(from));
  };
  if (marks.moment) mark(marks.moment);
  if (marks.call !== null && marks.call !== marks.moment?.line) mark({ line: marks.call, phase: 'call' });
  for (const line of marks.blamed) if (line !== marks.moment?.line) mark({ line, phase: 'blamed' });
  for (const line of marks.selected.filter(inside)) {
    ranges.push(Decoration.line({ class: 'cm-line-selected' }).range(doc.line(line).from));
  }
  if (marks.mistake && inside(marks.mistake.line)) {
    const { line, column, message } = marks.mistake;
    const { from, to } = doc.line(line);
    const start = Math.min(from + Math.max(0, (column ?? 1) - 1), to);
    // A mistake at the end of a line has no character to stand under, so the whole line takes the mark.
    const mark = Decoration.mark({ class: 'cm-mistake', attributes: { title: message } });
    if (from < to) ranges.push(mark.range(start === to ? from : start, to));
  }
  for (const value of marks.values) {
    if (!inside(value.line)) continue;
    const widget = Decoration.widget({ widget: new ValueWidget(value), side: 1 });
    ranges.push(widget.range(doc.line(value.line).to));
  }
  return { lines: Decoration.set(ranges, true), rings: RangeSet.of(rings, true) };
}

const field = StateField.define<Drawn>({
  create: () => ({ lines: Decoration.none, rings: RangeSet.empty }),
  update(drawn, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(setMarks)) return draw(effect.value, transaction.newDoc);
    }
    if (!transaction.docChanged) return drawn;
    return { lines: drawn.lines.map(transaction.changes), rings: drawn.rings.map(transaction.changes) };
  },
  provide: (self) => EditorView.decorations.from(self, (drawn) => drawn.lines),
});

/** The marks as an extension; `onLine` hears of clicks in the gutter with the 1-based line. */
export function marks(onLine: (line: number) => void): Extension {
  return [
    field,
    gutter({
      class: 'cm-moment-gutter',
      markers: (view) => view.state.field(field).rings,
      domEventHandlers: {
        mousedown(view, block) {
          onLine(view.state.doc.lineAt(block.from).number);
          return true;
        },
      },
    }),
  ];
}
