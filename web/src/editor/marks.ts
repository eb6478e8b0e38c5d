// What the page draws into the code: the line of the moment, the lines of the selection, values beside the lines.

import { type Extension, type Range, RangeSet, StateEffect, StateField } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  EditorView,
  GutterMarker,
  gutter,
  lineNumberMarkers,
  lineNumbers,
  WidgetType,
} from '@codemirror/view';
import { signsOf, TITLES } from './signs';

export type MomentLine = {
  line: number;
  phase: 'forward' | 'backward' | 'call' | 'error' | 'blamed' | 'lit' | 'stale' | 'paused';
};
export type LineValue = { line: number; text: string; changed: boolean };
/** A line that saved a tensor or wrote over what was saved, and what it says of the version. */
export type VersionMark = { line: number; text: string };
/** Where the text is not valid Python: 1-based line and column, and what is wrong. */
export type Mistake = { line: number; column: number | null; message: string };
/** A breakpoint in the gutter; `plain` stops each time, `refused` cannot be set. */
export type BreakpointMark = {
  line: number;
  title: string;
  state: 'plain' | 'conditional' | 'terminal' | 'off' | 'refused';
};
/** All marks at once; lines are 1-based.  `call` is the line of the backward() that is under way, `blamed` explain an error, `paused` is the
 * line that the program is before, or of the frame that is looked into, `lit` are in the answer that is shown. */
export type Marks = {
  moment: MomentLine | null;
  call: number | null;
  blamed: number[];
  lit: number[];
  selected: number[];
  values: LineValue[];
  versions: VersionMark[];
  mistake: Mistake | null;
  paused: number | null;
  breakpoints: BreakpointMark[];
};

export const setMarks = StateEffect.define<Marks>();

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

/** The number of a line as a tag, in place of the number. */
class BreakpointMarker extends GutterMarker {
  constructor(readonly mark: BreakpointMark) {
    super();
  }

  override eq(other: BreakpointMarker): boolean {
    const { line, title, state } = this.mark;
    return other.mark.line === line && other.mark.title === title && other.mark.state === state;
  }

  override toDOM(): HTMLElement {
    const tag = document.createElement('span');
    tag.className = `cm-breakpoint cm-breakpoint-${this.mark.state}`;
    tag.textContent = String(this.mark.line);
    tag.title = this.mark.title;
    return tag;
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

class VersionWidget extends WidgetType {
  constructor(readonly text: string) {
    super();
  }

  override eq(other: VersionWidget): boolean {
    return other.text === this.text;
  }

  override toDOM(): HTMLElement {
    const tag = document.createElement('span');
    tag.className = 'cm-version';
    tag.textContent = this.text;
    return tag;
  }

  override ignoreEvent(): boolean {
    return true;
  }
}

type Drawn = { lines: DecorationSet; rings: RangeSet<GutterMarker>; tags: RangeSet<GutterMarker> };

function draw(marks: Marks, doc: { lines: number; line(n: number): { from: number; to: number } }): Drawn {
  const inside = (line: number) => line >= 1 && line <= doc.lines;
  const ranges: Range<Decoration>[] = [];
  const rings: Range<GutterMarker>[] = [];
  for (const { line, phase } of signsOf(marks, doc.lines)) {
    const { from } = doc.line(line);
    ranges.push(Decoration.line({ class: `cm-line-${phase}` }).range(from));
    rings.push(new MomentMarker(phase).range(from));
  }
  for (const { line, text } of marks.versions) {
    if (inside(line))
      ranges.push(Decoration.widget({ widget: new VersionWidget(text), side: 1 }).range(doc.line(line).to));
  }
  for (const line of marks.selected.filter(inside)) {
    ranges.push(Decoration.line({ class: 'cm-line-selected' }).range(doc.line(line).from));
  }
  if (marks.mistake && inside(marks.mistake.line)) {
    const { line, column, message } = marks.mistake;
    const { from, to } = doc.line(line);
    const start = Math.min(from + Math.max(0, (column ?? 1) - 1), to);
    // A mistake at the end of a line has no character to underline, so the whole line takes the mark.
    const mark = Decoration.mark({ class: 'cm-mistake', attributes: { title: message } });
    if (from < to) ranges.push(mark.range(start === to ? from : start, to));
  }
  for (const value of marks.values) {
    if (!inside(value.line)) continue;
    const widget = Decoration.widget({ widget: new ValueWidget(value), side: 1 });
    ranges.push(widget.range(doc.line(value.line).to));
  }
  const tags = marks.breakpoints
    .filter(({ line }) => inside(line))
    .map((one) => new BreakpointMarker(one).range(doc.line(one.line).from));
  return {
    lines: Decoration.set(ranges, true),
    rings: RangeSet.of(rings, true),
    tags: RangeSet.of<GutterMarker>(tags, true),
  };
}

const field = StateField.define<Drawn>({
  create: () => ({ lines: Decoration.none, rings: RangeSet.empty, tags: RangeSet.empty }),
  update(drawn, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(setMarks)) return draw(effect.value, transaction.newDoc);
    }
    if (!transaction.docChanged) return drawn;
    const { changes } = transaction;
    // A tag whose number changes comes anew from the breakpoints.
    return { lines: drawn.lines.map(changes), rings: drawn.rings.map(changes), tags: drawn.tags.map(changes) };
  },
  provide: (self) => [
    EditorView.decorations.from(self, (drawn) => drawn.lines),
    lineNumberMarkers.from(self, (drawn) => drawn.tags),
  ],
});

/** A click in a gutter, as the 1-based line. */
function clicked(report: (line: number) => void) {
  return {
    mousedown(view: EditorView, block: { from: number }) {
      report(view.state.doc.lineAt(block.from).number);
      return true;
    },
  };
}

/** The marks as an extension; `onLine` is called for clicks beside a line, `onNumber` for clicks on its number. */
export function marks(onLine: (line: number) => void, onNumber: (line: number) => void): Extension {
  return [
    field,
    gutter({
      class: 'cm-moment-gutter',
      markers: (view) => view.state.field(field).rings,
      domEventHandlers: clicked(onLine),
    }),
    lineNumbers({ domEventHandlers: clicked(onNumber) }),
  ];
}
