// Filters the examples by the words that a reader typed.

import type { Example } from '../run/api';

/** The examples that hold every word of the query; those with all words in the title come first. */
export function filterExamples(examples: readonly Example[], query: string): Example[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const holds = (text: string) => words.every((word) => text.toLowerCase().includes(word));
  const found = examples.filter(({ title, summary, source }) => holds(`${title}\n${summary}\n${source}`));
  return [...found.filter((example) => holds(example.title)), ...found.filter((example) => !holds(example.title))];
}
