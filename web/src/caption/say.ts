// Fills the templates of captions. The compiler checks the name of each template and the names of its places.

import { own } from '../protocol/own';
import { TEMPLATES } from '../protocol/sentences';

export type Template = keyof typeof TEMPLATES;

type Places<Text extends string> = Text extends `${string}{${infer Place}}${infer Rest}` ? Place | Places<Rest> : never;
type Given<Name extends Template> = [Places<(typeof TEMPLATES)[Name]>] extends [never]
  ? []
  : [places: Record<Places<(typeof TEMPLATES)[Name]>, string | number>];

/** A template with all its places filled. */
export function say<Name extends Template>(name: Name, ...[places]: Given<Name>): string {
  const given: Readonly<Record<string, string | number>> = places ?? {};
  return TEMPLATES[name].replace(/\{(\w+)\}/g, (_, place: string) => String(own(given, place)));
}

/** Joins texts as English does: `a`, `a and b`, `a, b and c`. */
export function list(texts: readonly string[]): string {
  if (texts.length < 2) return texts[0] ?? '';
  return `${texts.slice(0, -1).join(say('join.comma'))}${say('join.and')}${texts.at(-1)}`;
}

/** Sentences one after the other, without those that are empty. */
export function text(...sentences: readonly string[]): string {
  return sentences.filter(Boolean).join(' ');
}
