// The part of a program that a lesson lets the reader change, as it is seen in the code: all else is quiet.

import { syntaxTree } from '@codemirror/language';
import { type EditorState, type Extension, type Range, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView } from '@codemirror/view';
import { type EditPart, linesOf } from './edit-lines';

export const setPart = StateEffect.define<EditPart | null>();

const QUIET = Decoration.line({ class: 'cm-outside' });
const CHANGEABLE_LINE = Decoration.line({ class: 'cm-part' });
const CHANGEABLE = Decoration.mark({ class: 'cm-part-number' });

function drawn(state: EditorState, part: EditPart | null): DecorationSet {
  if (!part || part.of === 'program') return Decoration.none;
  const ranges: Range<Decoration>[] = [];
  const lines = linesOf(part, state.doc.toString());
  for (let line = 1; line <= state.doc.lines; line += 1) {
    const isPart = lines !== null && line >= lines[0] && line <= lines[1];
    ranges.push((isPart ? CHANGEABLE_LINE : QUIET).range(state.doc.line(line).from));
  }
  if (part.of === 'numbers') {
    syntaxTree(state).iterate({
      enter: ({ name, from, to }) => {
        if (name === 'Number') ranges.push(CHANGEABLE.range(from, to));
      },
    });
  }
  return Decoration.set(ranges, true);
}

type Shown = { part: EditPart | null; drawn: DecorationSet };

const field = StateField.define<Shown>({
  create: () => ({ part: null, drawn: Decoration.none }),
  update(shown, { effects, docChanged, startState, state }) {
    const given = effects.find((effect) => effect.is(setPart));
    const part = given ? (given.value as EditPart | null) : shown.part;
    const isParsed = part?.of === 'numbers' && syntaxTree(startState) !== syntaxTree(state);
    return given || docChanged || isParsed ? { part, drawn: drawn(state, part) } : shown;
  },
  provide: (self) => EditorView.decorations.from(self, (shown) => shown.drawn),
});

const look = EditorView.theme({
  '.cm-outside': { color: 'var(--muted)', '& span': { color: 'inherit' } },
  '.cm-part': { boxShadow: 'inset 3px 0 0 var(--ink)' },
  '.cm-outside .cm-part-number': {
    color: 'var(--ink)',
    fontWeight: '650',
    textDecoration: 'underline dotted var(--ink)',
    textUnderlineOffset: '4px',
  },
});

export const parts: Extension = [field, look];
