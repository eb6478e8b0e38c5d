// What the name of a collected lesson holds, as it was packed: unchecked, for all that reads one.

import { request } from '../run/api';
import { expand } from '../trace/compression';
import { decodeBase64Url } from '../transport/base64url';
import { LECTURE } from '../workbench/link/link';

/** The beginning of the name of a lecture that a server keeps; its id follows. */
export const KEPT = `${LECTURE}s`;
/** The version of what is packed. */
export const VERSION = '1';
/** A longer fragment is not read, in characters. */
const MOST_PACKED = 400_000;
/** The characters of all that is read of a draft or a link. */
export const MOST_CHARS = 400_000;

/** The name that holds the lecture itself, of a name that may have a server's id of it. */
export async function fetchPacked(name: string): Promise<string> {
  if (!name.startsWith(KEPT)) return name;
  const answer = await request(`/api/lectures/kept/${encodeURIComponent(name.slice(KEPT.length))}`);
  return LECTURE + (await answer.json()).lecture;
}

/** What a name holds, whatever it is; null where it is damaged, or none. */
export async function unpackFound(name: string): Promise<unknown> {
  const head = LECTURE + VERSION;
  if (!name.startsWith(head) || name.length > MOST_PACKED) return null;
  try {
    const bytes = await expand(decodeBase64Url(name.slice(head.length)), 'deflate-raw', MOST_CHARS);
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return null;
  }
}
