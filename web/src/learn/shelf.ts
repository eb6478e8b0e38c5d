// The lessons of the server: their list, one with its moments and answers, and the verdict on a changed program.

import type { Lesson, LessonTitle, Verdict } from '../protocol/lessons';
import { request, ServerError } from '../run/api';

/** A session ends a moment after its last event: how often its verdict is asked for again, and how long after, in milliseconds. */
const MOST_TRIES = 5;
const PAUSE_MS = 300;
const STILL_RUNNING = 409;

let titles: Promise<LessonTitle[]> | null = null;

/** The lessons in their order, fetched once; none from a server that has no lessons. */
export function fetchLessons(): Promise<LessonTitle[]> {
  titles ??= fetchTitles().catch((error: unknown) => {
    titles = null;
    throw error;
  });
  return titles;
}

async function fetchTitles(): Promise<LessonTitle[]> {
  try {
    return await (await request('/api/lessons')).json();
  } catch (error) {
    if (error instanceof ServerError && error.status === 404) return [];
    throw error;
  }
}

/** A lesson that was fetched ahead, until it is wanted. */
let ahead: { name: string; lesson: Promise<Lesson> } | null = null;

/** Fetches a lesson for a frame's first picture; its player gets the same one. */
export function fetchLessonAhead(name: string): Promise<Lesson> {
  const lesson = fetchLesson(name);
  ahead = { name, lesson };
  return lesson;
}

export async function fetchLesson(name: string): Promise<Lesson> {
  const fetched = ahead?.name === name ? ahead.lesson : null;
  // Used once: a lesson that could not be fetched is tried again.
  ahead = null;
  return fetched ?? (await request(`/api/lessons/${encodeURIComponent(name)}`)).json();
}

/** The verdict on the change at a line of a lesson, which was tried in a session. */
export async function fetchVerdict(name: string, line: number, session: string): Promise<Verdict> {
  const body = JSON.stringify({ line, session });
  const headers = { 'Content-Type': 'application/json' };
  for (let tries = 1; ; tries += 1) {
    try {
      const path = `/api/lessons/${encodeURIComponent(name)}/changes`;
      return await (await request(path, { method: 'POST', headers, body })).json();
    } catch (error) {
      const isEarly = error instanceof ServerError && error.status === STILL_RUNNING && tries < MOST_TRIES;
      if (!isEarly) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}
