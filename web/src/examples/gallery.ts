// The gallery: examples by topic, each with the step that teaches and a thumbnail of the stage at that step.

import { own } from '../protocol/own';
import type { Example } from '../run/api';
import recorded from './moments.json';
import topics from './topics.json';

export type Card = {
  example: Example;
  /** The cursor at which it teaches; null for an example without a recorded step. */
  at: number | null;
  /** Addresses of its pictures; null where there is none. */
  thumbnail: { light: string; dark: string } | null;
};
export type Topic = { topic: string; cards: Card[] };

const PICTURES = import.meta.glob<string>('./thumbnails/*.webp', { eager: true, query: '?url', import: 'default' });
const MOMENTS: Readonly<Record<string, { at: number | null; caption: string; source: string }>> = recorded;

function card(example: Example): Card {
  const [light, dark] = ['light', 'dark'].map((theme) => PICTURES[`./thumbnails/${example.name}.${theme}.webp`]);
  return { example, at: own(MOMENTS, example.name)?.at ?? null, thumbnail: light && dark ? { light, dark } : null };
}

/** Examples by topic; those without one come last, under `rest`. */
export function byTopic(examples: readonly Example[], rest: string): Topic[] {
  const left = new Map(examples.map((example) => [example.name, example]));
  const made: Topic[] = topics.map(({ topic, examples: named }) => ({
    topic,
    cards: named.flatMap(({ name }) => {
      const example = left.get(name);
      left.delete(name);
      return example ? [card(example)] : [];
    }),
  }));
  made.push({ topic: rest, cards: [...left.values()].map(card) });
  return made.filter(({ cards }) => cards.length > 0);
}

/** Examples that were looked for, best first. */
export function inOrder(examples: readonly Example[]): Card[] {
  return examples.map(card);
}
