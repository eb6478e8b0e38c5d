// What the server does for a lecture: names a moment, writes the file and the page of the lesson, keeps it for a link.

import * as say from '../messages/lecture/collecting';
import type { Lesson, NamedMoment } from '../protocol/lessons';
import { request, ServerError } from '../run/api';
import { isGone, lend, sessionOf } from '../run/lent';
import type { Run } from '../run/run.svelte';

function send(path: string, body: object, signal: AbortSignal | null = null): Promise<Response> {
  const headers = { 'Content-Type': 'application/json' };
  return request(path, { method: 'POST', headers, body: JSON.stringify(body), signal });
}

async function post<T>(path: string, body: object): Promise<T> {
  return (await send(path, body)).json();
}

/**
 * A step of a run as a lesson names it; with `ask`, the value of that expression there. A server that does not have the run gets its
 * recording first.
 */
export async function nameMoment(run: Run, step: number, ask?: string): Promise<NamedMoment> {
  const name = (session: string) =>
    post<NamedMoment>('/api/lectures/moments', { session, step, ...(ask ? { ask } : {}) });
  try {
    const session = sessionOf(run);
    if (session) {
      try {
        return await name(session);
      } catch (error) {
        if (!isGone(error)) throw error;
        run.forgotten = true;
        run.lent = null;
      }
    }
    return await name(await lend(run));
  } catch (error) {
    throw error instanceof ServerError && error.status === null ? new ServerError(say.serverSilent) : error;
  }
}

/** The text of the file of a lesson. */
export async function writeFile(lesson: Lesson): Promise<string> {
  return (await post<{ text: string }>('/api/lectures/file', lesson)).text;
}

/** The page of a lesson as one HTML file; the server runs the lesson's programs for it. */
export async function makePage(lesson: Lesson, signal: AbortSignal): Promise<Blob> {
  return (await send('/api/lectures/page', lesson, signal)).blob();
}

/** Keeps a packed lecture for a link; its id, and how many lectures the server keeps. */
export function keepLecture(lecture: string): Promise<{ lecture: string; kept: number }> {
  return post('/api/lectures/kept', { lecture });
}

/** Whether the server keeps lectures for links. */
export async function keepsLessons(): Promise<boolean> {
  return (await (await request('/api/health')).json()).keeps_lessons !== false;
}
