// A lesson while it is written: `backscope lesson preview` serves it, and the page asks whether its file has changed.

import * as say from '../messages/lesson/preview';
import type { LessonDraft } from '../protocol/lessons';
import { request, ServerError } from '../run/api';

/** Between an answer and the next question, and after one that did not come, in milliseconds. */
const PAUSE_MS = 400;
const LOST_MS = 2000;
const UNCHANGED = 204;

/** The page was opened by `backscope lesson preview`. */
export const isPreview = (): boolean => new URLSearchParams(location.search).has('preview');

type Reader = {
  /** Takes a lesson as its file is now, each time that it has changed. */
  show: (draft: LessonDraft) => void;
  /** Takes why the server gave no answer, in words; null as soon as it gives one. */
  lose: (problem: string | null) => void;
};

/** What is said of a question without an answer. */
function wordsFor(error: unknown): string {
  return error instanceof ServerError && error.status !== null ? error.message : say.isLost;
}

/** Follows the file of a lesson; the function that it returns ends that. */
export function followDraft(name: string, { show, lose }: Reader): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  const path = `/api/lessons/${encodeURIComponent(name)}/draft`;
  let version: string | null = null;

  async function ask(): Promise<void> {
    const after = version === null ? '' : `?after=${encodeURIComponent(version)}`;
    const answer = await request(path + after, { signal });
    const draft: LessonDraft | null = answer.status === UNCHANGED ? null : await answer.json();
    if (signal.aborted || !draft) return;
    version = draft.version;
    show(draft);
  }

  async function follow(): Promise<void> {
    while (!signal.aborted) {
      const problem = await ask().then(() => null, wordsFor);
      if (signal.aborted) return;
      lose(problem);
      await new Promise((resolve) => setTimeout(resolve, problem === null ? PAUSE_MS : LOST_MS));
    }
  }

  void follow();
  return () => ending.abort();
}
