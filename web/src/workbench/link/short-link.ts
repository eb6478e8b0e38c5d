// Short links: the server keeps the recording of a run, and this browser the secret by which it can be removed.

import { fetchHealth, request } from '../../run/api';
import { isGone, lend, sessionOf } from '../../run/lent';
import type { Run } from '../../run/run.svelte';
import type { Workbench } from '../workbench.svelte';
import { linkTo } from './moment-link';

const KEY = 'backscope.shared';
/** The links of which this browser keeps the secrets; older ones expire. */
const MOST = 200;
/** In characters, as the server has them. */
const MOST_TITLE = 200;
const MOST_MOMENT = 2000;

export type ShortLink = { id: string; href: string; days: number };
type Kept = { share: string; path: string; secret: string; seconds: number };

function post(path: string, body: object): Promise<Response> {
  const headers = { 'Content-Type': 'application/json' };
  return request(path, { method: 'POST', headers, body: JSON.stringify(body) });
}

/** The short link to what is shown; null where a link with the program is to be copied. */
export async function offeredShortLink(bench: Workbench): Promise<ShortLink | null> {
  if (!bench.served || bench.lesson || bench.lecturing || !bench.run?.length || bench.running || bench.stale)
    return null;
  const health = await fetchHealth().catch(() => null);
  return health?.short_links ? makeShortLink(bench, bench.run) : null;
}

/** Has the server keep a run that is over, to be opened at what is shown; a server that does not have it gets its recording first. */
export async function makeShortLink(bench: Workbench, run: Run): Promise<ShortLink> {
  const asked = {
    step: Math.max(0, run.cursor),
    title: titleOf(bench.title, run.source),
    moment: await momentOf(bench),
  };
  const share = async (session: string): Promise<Kept> => (await post('/api/shares', { session, ...asked })).json();
  const session = sessionOf(run);
  let kept: Kept;
  try {
    kept = await share(session ?? (await lend(run)));
  } catch (error) {
    if (!session || !isGone(error)) throw error;
    run.forgotten = true;
    run.lent = null;
    kept = await share(await lend(run));
  }
  const secrets = secretsOf();
  secrets[kept.share] = [...(secrets[kept.share] ?? []), kept.secret];
  keepSecrets(secrets);
  return {
    id: kept.share,
    href: new URL(kept.path, location.origin).href,
    days: Math.round(kept.seconds / 86_400),
  };
}

/** Has the server remove what this browser shared under an id. */
export async function removeShortLink(id: string): Promise<void> {
  const secrets = secretsOf();
  for (const secret of secrets[id] ?? []) {
    try {
      await post(`/api/shares/${encodeURIComponent(id)}/removal`, { secret });
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }
  delete secrets[id];
  keepSecrets(secrets);
}

/** Whether this browser made the link of a run and can have it removed. */
export function isOwnLink(id: string): boolean {
  return (secretsOf()[id]?.length ?? 0) > 0;
}

/** The title of a run: that of its example, or else the comment that its program begins with. */
export function titleOf(example: string | null, source: string): string {
  const comment = /^#+\s*(\S.*?)\s*$/.exec(source.trimStart().split('\n', 1)[0]!);
  return (example ?? comment?.[1] ?? '').slice(0, MOST_TITLE);
}

/** What the link of the page has of the moment beside program, run and step; nothing where that is too much. */
async function momentOf(bench: Workbench): Promise<string> {
  const fields = new URLSearchParams(await linkTo(bench));
  // Expressions run code: they are for who runs the program.
  for (const name of ['example', 'code', 'run', 'step', 'watch']) fields.delete(name);
  const text = fields.toString();
  return text.length > MOST_MOMENT ? '' : text;
}

function secretsOf(): Record<string, string[]> {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '{}');
  } catch {
    return {};
  }
}

function keepSecrets(secrets: Record<string, string[]>): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(Object.fromEntries(Object.entries(secrets).slice(-MOST))));
  } catch {
    // Without a store the link cannot be removed from here, and expires.
  }
}
