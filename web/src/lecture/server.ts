// What the server does for a lecture: names a moment, writes the file and the page of the lesson, keeps it for a link.

import type { Lesson, NamedMoment } from '../protocol/lessons';
import { request } from '../run/api';

function send(path: string, body: object, signal: AbortSignal | null = null): Promise<Response> {
  const headers = { 'Content-Type': 'application/json' };
  return request(path, { method: 'POST', headers, body: JSON.stringify(body), signal });
}

async function post<T>(path: string, body: object): Promise<T> {
  return (await send(path, body)).json();
}

/** A step of a session's run as a lesson names it; with `ask`, the value of that expression there. */
export function nameMoment(session: string, step: number, ask?: string): Promise<NamedMoment> {
  return post('/api/lectures/moments', { session, step, ...(ask ? { ask } : {}) });
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
