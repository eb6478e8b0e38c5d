// Protects: the code marks the part that the reader may change, and follows it while it is edited.

import { pythonLanguage } from '@codemirror/lang-python';
import { ensureSyntaxTree } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { afterEach, expect, it } from 'vitest';
import { type EditPart, linesIn } from './edit-lines';
import { parts, setPart } from './edit-part';

const SOURCE = 'import torch\n\nx = torch.tensor(2.0)\ny = x * 3\ny.backward()\n';

let view: EditorView;
afterEach(() => view.destroy());

function opened(part: Pick<EditPart, 'of' | 'first' | 'last'> | null): void {
  const state = EditorState.create({ doc: SOURCE, extensions: [pythonLanguage, parts] });
  ensureSyntaxTree(state, SOURCE.length, 5000);
  view = new EditorView({ state, parent: document.body });
  view.dispatch({ effects: setPart.of(part && { ...part, lines: linesIn(SOURCE) }) });
}

const texts = (selector: string) => [...view.dom.querySelectorAll(selector)].map(({ textContent }) => textContent);

it('is some lines, with those that were put between them', () => {
  opened({ of: 'lines', first: 3, last: 4 });
  expect(texts('.cm-part')).toEqual(['x = torch.tensor(2.0)', 'y = x * 3']);
  expect(texts('.cm-outside')).toEqual(['import torch', '', 'y.backward()', '']);
  view.dispatch({ changes: { from: view.state.doc.line(3).to, insert: '\nz = x' } });
  expect(texts('.cm-part')).toEqual(['x = torch.tensor(2.0)', 'z = x', 'y = x * 3']);
  view.dispatch({ changes: { from: view.state.doc.line(3).from, to: view.state.doc.line(6).from } });
  expect(texts('.cm-part')).toEqual(['y.backward()']);
});

it('is the numbers', () => {
  opened({ of: 'numbers', first: null, last: null });
  expect(texts('.cm-part-number')).toEqual(['2.0', '3']);
  expect(texts('.cm-outside')).toHaveLength(6);
  const { to } = view.state.doc.line(4);
  view.dispatch({ changes: { from: to, insert: '4' } });
  expect(texts('.cm-part-number')).toEqual(['2.0', '34']);
});

it.each([null, { of: 'program' as const, first: null, last: null }])('is all of it for %o', (part) => {
  opened(part);
  expect(texts('.cm-outside, .cm-part, .cm-part-number')).toEqual([]);
});
