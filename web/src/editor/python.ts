// Python's grammar and how it looks: syntax in ink rather than in colours.

import { pythonLanguage } from '@codemirror/lang-python';
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { tags } from '@lezer/highlight';

// The five colours of the page mean something, so syntax is distinguished by weight, slant and two neutral tints.
const highlight = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: 'var(--code-keyword)', fontWeight: '650' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--code-string)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--code-number)' },
  { tag: tags.comment, color: 'var(--code-comment)', fontStyle: 'italic' },
  { tag: tags.definition(tags.function(tags.variableName)), color: 'var(--code-name)', fontWeight: '650' },
]);

export const python: Extension = [pythonLanguage, syntaxHighlighting(highlight), indentOnInput(), bracketMatching()];
