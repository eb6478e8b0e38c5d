// How code looks: the page's tokens as CodeMirror's theme, and Python's syntax in ink rather than in colours.

import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

// The five colours of the page mean something, so syntax is distinguished by weight, slant and two neutral tints.
const highlight = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: 'var(--code-keyword)', fontWeight: '650' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--code-string)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--code-number)' },
  { tag: tags.comment, color: 'var(--code-comment)', fontStyle: 'italic' },
  { tag: tags.definition(tags.function(tags.variableName)), color: 'var(--code-name)', fontWeight: '650' },
]);

const look = EditorView.theme({
  '&': { height: '100%', fontSize: 'var(--size-13)', backgroundColor: 'transparent', color: 'var(--ink)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': {
    fontFamily: 'var(--font-mono)',
    fontVariantNumeric: 'tabular-nums',
    fontFeatureSettings: '"calt" 0',
    lineHeight: '24px',
  },
  '.cm-content': { padding: '4px 0 24px', caretColor: 'var(--ink)' },
  '.cm-line': { padding: '0 8px' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)', borderLeftWidth: '2px' },
  '.cm-gutters': { backgroundColor: 'transparent', border: '0', color: 'var(--muted)', fontSize: 'var(--size-12)' },
  '.cm-lineNumbers .cm-gutterElement': { minWidth: '24px', padding: '0 4px 0 0', cursor: 'pointer' },
  '.cm-lineNumbers .cm-gutterElement:hover': { color: 'var(--ink)' },
  '.cm-breakpoint': {
    display: 'inline-block',
    boxSizing: 'border-box',
    minWidth: '20px',
    padding: '0 4px',
    border: '1px solid var(--ink)',
    borderRadius: '4px',
    backgroundColor: 'var(--ink)',
    color: 'var(--paper)',
    lineHeight: '18px',
    textAlign: 'center',
  },
  // A second sign beside the tag: with a condition it has a notch, off it is an outline, refused it is struck.
  '.cm-breakpoint-conditional': { borderLeft: '4px double var(--paper)' },
  '.cm-breakpoint-off': { backgroundColor: 'transparent', color: 'var(--muted)', borderStyle: 'dashed' },
  '.cm-breakpoint-refused': {
    borderColor: 'var(--error)',
    backgroundColor: 'transparent',
    color: 'var(--error-ink)',
    textDecoration: 'line-through',
  },
  '.cm-moment-gutter': { width: '20px' },
  '.cm-moment-gutter .cm-gutterElement': { display: 'grid', placeItems: 'center', cursor: 'pointer' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--forward) 22%, transparent)',
  },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': {
    backgroundColor: 'var(--hover)',
    outline: '1px solid var(--hairline-strong)',
  },
  '.cm-moment': { display: 'block', width: '11px', height: '11px', borderRadius: '50%', border: '2px solid' },
  '.cm-moment-forward': { borderColor: 'var(--forward)', backgroundColor: 'var(--forward)' },
  '.cm-moment-backward': { borderColor: 'var(--gradient-fill)', backgroundColor: 'transparent' },
  '.cm-moment-call': {
    width: '0',
    height: '0',
    borderRadius: '0',
    borderWidth: '5px 0 5px 8px',
    borderColor: 'transparent transparent transparent var(--gradient-fill)',
  },
  '.cm-moment-error': { borderColor: 'var(--error)', borderRadius: '1px', transform: 'rotate(45deg)' },
  '.cm-moment-blamed': {
    borderColor: 'var(--error)',
    borderRadius: '1px',
    borderStyle: 'dotted',
    transform: 'rotate(45deg)',
  },
  '.cm-moment-paused': {
    width: '0',
    height: '0',
    borderRadius: '0',
    borderWidth: '6px 0 6px 10px',
    borderColor: 'transparent transparent transparent var(--ink)',
  },
  '.cm-moment-lit': {
    borderColor: 'var(--ink)',
    borderRadius: '1px',
    borderStyle: 'dotted',
    transform: 'rotate(45deg)',
  },
  '.cm-moment-stale': { borderColor: 'var(--faint)', backgroundColor: 'transparent', borderStyle: 'dashed' },
  '.cm-line-forward': { backgroundColor: 'var(--forward-soft)' },
  '.cm-line-backward': { backgroundColor: 'var(--gradient-soft)' },
  '.cm-line-call': { backgroundColor: 'color-mix(in srgb, var(--gradient-soft) 45%, transparent)' },
  '.cm-line-error': { backgroundColor: 'var(--error-soft)' },
  '.cm-line-blamed': { backgroundColor: 'color-mix(in srgb, var(--error-soft) 50%, transparent)' },
  '.cm-line-paused': { backgroundColor: 'var(--hover)', boxShadow: 'inset 0 0 0 1px var(--hairline-strong)' },
  '.cm-line-lit': { backgroundColor: 'var(--hover)' },
  '.cm-line-selected': { boxShadow: 'inset 2px 0 0 var(--ink)' },
  '.cm-version': {
    display: 'inline-block',
    margin: '0 0 0 16px',
    padding: '0 6px',
    border: '1px solid var(--error)',
    borderRadius: '4px',
    color: 'var(--error-ink)',
    fontSize: 'var(--size-12)',
    lineHeight: '18px',
    whiteSpace: 'pre',
  },
  '.cm-value': {
    display: 'inline-block',
    boxSizing: 'border-box',
    maxWidth: '100%',
    overflow: 'hidden',
    paddingLeft: '16px',
    textOverflow: 'ellipsis',
    verticalAlign: 'bottom',
    color: 'var(--muted)',
    fontSize: 'var(--size-12)',
    whiteSpace: 'pre',
    pointerEvents: 'none',
    userSelect: 'none',
  },
  '.cm-value-changed': { color: 'var(--forward-ink)' },
  // Forced colours take the grounds away.
  '@media (forced-colors:active)': {
    '.cm-line-forward, .cm-line-backward, .cm-line-error, .cm-line-paused': {
      outlineWidth: '2px',
      outlineStyle: 'solid',
      outlineColor: 'Highlight',
      outlineOffset: '-2px',
    },
    '.cm-line-call, .cm-line-blamed, .cm-line-lit': {
      outlineWidth: '1px',
      outlineStyle: 'dotted',
      outlineOffset: '-1px',
    },
    '.cm-moment, .cm-breakpoint': { forcedColorAdjust: 'none' },
  },
  '.cm-mistake': { textDecoration: 'underline wavy var(--error)', textUnderlineOffset: '4px' },
});

/** Theme and highlighting, the same for light and dark because both read the tokens. */
export const appearance = [look, syntaxHighlighting(highlight)];
