// A lecture as the name of a lesson, for the fragment of a link: compressed, behind the sign that only such names have.

import { compress } from '../trace/compression';
import { encodeBase64Url } from '../transport/base64url';
import { LECTURE, writeLesson } from '../workbench/link/link';
import { type Lecture, readLecture } from './lecture';
import { fetchPacked, KEPT, unpackFound, VERSION } from './packed';
import { keepLecture } from './server';

/** The name of the draft of this browser, which is in no link. */
export const DRAFT = `${LECTURE}draft`;

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
  return unpack(await fetchPacked(name));
}

/** The lecture that a name holds; null where that is damaged, or none. */
export async function unpack(name: string): Promise<Lecture | null> {
  const found = await unpackFound(name);
  return found === null ? null : readLecture(found);
}
