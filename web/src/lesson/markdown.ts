// The Markdown of lessons as pieces to be shown, and as plain words to be spoken.

import { lexer, type Token } from 'marked';

/** A piece of a text, with those in it; HTML in a text is shown as it is written. */
export type Piece =
  | { kind: 'words' | 'codespan' | 'code'; text: string }
  | { kind: 'br' | 'hr' }
  | { kind: 'paragraph' | 'strong' | 'em' | 'del' | 'blockquote' | 'heading' | 'item' | 'inline'; of: Piece[] }
  | { kind: 'list'; ordered: boolean; start: number; of: Piece[] }
  | { kind: 'link'; href: string; of: Piece[] };

/** Where a link of a lesson may lead: to another page, or to a place in this one. */
const SAFE = /^(https?:\/\/|#)/;
const INNER = new Set(['paragraph', 'strong', 'em', 'del', 'blockquote', 'heading']);

/** Reads a text. */
export function readMarkdown(text: string): Piece[] {
  return lexer(text).flatMap(pieceOf);
}

type Some = { type: string; text?: string; raw: string; tokens?: Token[] } & Record<string, unknown>;

function pieceOf(token: Token): Piece[] {
  const some = token as Some;
  const { type, raw } = some;
  const text = some.text ?? raw;
  const of = () => (some.tokens ?? []).flatMap(pieceOf);
  if (INNER.has(type)) return [{ kind: type as 'paragraph', of: of() }];
  if (type === 'codespan' || type === 'code') return [{ kind: type, text }];
  if (type === 'br' || type === 'hr') return [{ kind: type }];
  if (type === 'space' || type === 'def') return [];
  if (type === 'list') {
    const items = some.items as Some[];
    const ordered = some.ordered === true;
    return [
      { kind: 'list', ordered, start: Number(some.start) || 1, of: items.flatMap((item) => pieceOf(item as Token)) },
    ];
  }
  if (type === 'list_item') return [{ kind: 'item', of: of() }];
  if (type === 'link') {
    const href = String(some.href);
    return SAFE.test(href) ? [{ kind: 'link', href, of: of() }] : [{ kind: 'inline', of: of() }];
  }
  if (type === 'text' && some.tokens) return [{ kind: 'inline', of: of() }];
  return [{ kind: 'words', text: type === 'text' || type === 'escape' || type === 'image' ? text : raw }];
}

/** The words of a text, for the screen reader. */
export function plainOf(text: string): string {
  return readMarkdown(text).map(words).join(' ').replace(/\s+/g, ' ').trim();
}

function words(piece: Piece): string {
  if ('text' in piece) return piece.text;
  return 'of' in piece ? piece.of.map(words).join(piece.kind === 'list' ? ' ' : '') : ' ';
}
