// What the server does for a lecture: names a moment, and writes the file of the lesson.

import type { Lesson, NamedMoment } from '../protocol/lessons';
import { request } from '../run/api';

async function post<T>(path: string, body: object): Promise<T> {
  const headers = { 'Content-Type': 'application/json' };
  return (await request(path, { method: 'POST', headers, body: JSON.stringify(body) })).json();
}

/** A step of a session's run as a lesson names it; with `ask`, the value of that expression there. */
export function nameMoment(session: string, step: number, ask?: string): Promise<NamedMoment> {
  return post('/api/lectures/moments', { session, step, ...(ask ? { ask } : {}) });
}

/** The text of the file of a lesson. */
export async function writeFile(lesson: Lesson): Promise<string> {
  return (await post<{ text: string }>('/api/lectures/file', lesson)).text;
}
