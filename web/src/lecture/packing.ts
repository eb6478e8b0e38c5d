// A lecture as the name of a lesson, for the fragment of a link: compressed, behind the sign that only such names have.

import { compress, expand } from '../trace/compression';
import { decodeBase64Url, encodeBase64Url } from '../transport/base64url';
import { LECTURE, writeLesson } from '../workbench/link';
import { type Lecture, MOST_CHARS, readLecture } from './lecture';
import { fetchLecture, keepLecture } from './server';

/** The name of the draft of this browser, which is in no link. */
export const DRAFT = `${LECTURE}draft`;
/** The beginning of the name of a lecture that a server keeps; its id follows. */
const KEPT = `${LECTURE}s`;
/** The version of what is packed. */
const VERSION = '1';
/** A longer fragment is not read, in characters. */
const MOST_PACKED = 400_000;

/** The address of this page at the lecture of a name. */
export function addressOf(name: string): string {
  const address = new URL(location.href);
  address.search = '';
  address.hash = writeLesson({ name, page: 1 });
  return address.href;
}

/** The name of a lecture; `unpack` reads it back. */
export async function pack(lecture: Lecture): Promise<string> {
  return LECTURE + VERSION + encodeBase64Url(await compress(JSON.stringify(lecture), 'deflate-raw'));
}

/** Has the server keep a packed lecture; the name that leads to it, and how many lectures the server keeps. */
export async function keep(packed: string): Promise<{ name: string; kept: number }> {
  const { lecture, kept } = await keepLecture(packed.slice(LECTURE.length));
  return { name: KEPT + lecture, kept };
}

/** The lecture of a name, which holds it or has a server's id of it; null where it is damaged, or none. */
export async function open(name: string): Promise<Lecture | null> {
  return unpack(name.startsWith(KEPT) ? LECTURE + (await fetchLecture(name.slice(KEPT.length))) : name);
}

/** The lecture that a name holds; null where that is damaged, or none. */
export async function unpack(name: string): Promise<Lecture | null> {
  const head = LECTURE + VERSION;
  if (!name.startsWith(head) || name.length > MOST_PACKED) return null;
  try {
    const bytes = await expand(decodeBase64Url(name.slice(head.length)), 'deflate-raw', MOST_CHARS);
    return readLecture(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)));
  } catch {
    return null;
  }
}
