// The lesson that a reader takes next.

import * as say from '../messages/lesson/player';
import type { LessonTitle } from '../protocol/lessons';
import type { Progress } from './progress.svelte';

/** A lesson with the page that it is opened at; `first`: it is the first of all, and none is finished. */
export type NextLesson = { title: LessonTitle; page: number; first: boolean };

/** The page at which a lesson is opened: where the reader left it, or its beginning. */
export function pageFor({ name }: LessonTitle, progress: Progress): number {
  const before = progress.of(name);
  return before && !before.finished ? before.page : 1;
}

/**
 * The lesson that was opened last and is not finished; else the first one that is not, of those whose needs are finished where there
 * are any. Null where all are finished, or where there are none.
 */
export function nextLesson(titles: readonly LessonTitle[], progress: Progress): NextLesson | null {
  const left = titles.filter(({ name }) => progress.of(name)?.finished !== true);
  const begun = progress.latest.find((name) => left.some((title) => title.name === name));
  const isReady = ({ needs }: LessonTitle) => needs.every((name) => progress.of(name)?.finished === true);
  const title = left.find(({ name }) => name === begun) ?? left.find(isReady) ?? left[0];
  const first = title === titles[0] && left.length === titles.length;
  return title ? { title, page: pageFor(title, progress), first } : null;
}

/** What a button says that opens it. */
export function offerOf({ title, page, first }: NextLesson): string {
  if (page > 1) return say.goOnWith(title.title);
  return first ? say.firstOf(title.title) : say.offered(title.title);
}
