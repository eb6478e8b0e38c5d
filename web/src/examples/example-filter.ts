// Filters the examples and the lessons by the words that a reader typed.

import type { LessonTitle } from '../protocol/lessons';
import type { Example } from '../run/api';

/** Returns a test that a text passes which holds every word of a query. */
function holdsAll(query: string): (text: string) => boolean {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return (text) => words.every((word) => text.toLowerCase().includes(word));
}

/** The examples that hold every word of the query; those with all words in the title come first. */
export function filterExamples(examples: readonly Example[], query: string): Example[] {
  const holds = holdsAll(query);
  const found = examples.filter(({ title, summary, source }) => holds(`${title}\n${summary}\n${source}`));
  return [...found.filter((example) => holds(example.title)), ...found.filter((example) => !holds(example.title))];
}

/** The lessons that hold every word of the query, in their order. */
export function filterLessons(titles: readonly LessonTitle[], query: string): LessonTitle[] {
  const holds = holdsAll(query);
  return titles.filter(({ title, goal, learned }) => holds(`${title}\n${goal}\n${learned}`));
}
